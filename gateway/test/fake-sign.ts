import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  type Agreement,
  type AgreementDefinition,
  type AgreementSchema,
  AgreementStatus,
  PurgeSchema,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import type { Brand } from "#gen/assent/sign/v1/brands_pb.ts";
import { SignService, type Target } from "#gen/assent/sign/v1/sign_pb.ts";
import { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { createFakeSignBrands } from "./fake-sign-brands.ts";
import { createFakeSignBulk } from "./fake-sign-bulk.ts";
import { createFakeSignEdits } from "./fake-sign-edits.ts";
import { createFakeSignFiles } from "./fake-sign-files.ts";
import { createFakeSignPrivacy } from "./fake-sign-privacy.ts";
import { createFakeSignUploads } from "./fake-sign-uploads.ts";
import { at, type FieldsOf, sampleAgreement, sampleTemplate } from "./sample-agreement.ts";

/** The views of senders. */
const createFakeSignViews = ({ enter, find }: FakeSignCore): SignHandlers => ({
  createSenderView: (request, context) => {
    const caller = enter(context, "createSenderView", request);
    const target = { id: { case: "agreementId", value: request.agreementId } } as Target;
    if (request.agreementId !== "") find(target, caller);
    return { token: "s".repeat(64), expiresAt: at(5) };
  },
});

export type SignHandlers = Partial<ServiceImpl<typeof SignService>>;
export type SigningHandlers = Partial<ServiceImpl<typeof SigningService>>;

/** What handlers in files of their own need. */
export interface FakeSignCore {
  /** By their ids, templates too. */
  readonly agreements: Map<string, Agreement>;
  /** By their ids. */
  readonly brands: Map<string, { readonly orgId: string; readonly brand: Brand }>;
  /** Addresses that a legal hold is on; the empty one stands for everything. */
  readonly held: Set<string>;
  enter(context: HandlerContext, method: string, request: unknown): Caller;
  find(target: Target | undefined, caller: Caller): Agreement;
}

/**
 * A sign service that keeps everything in memory, knows just enough rules to answer, and remembers what it was asked.
 * Handlers that are given go before its own.
 */
export function createFakeSign(more: (core: FakeSignCore) => SignHandlers = () => ({}), signing: SigningHandlers = {}) {
  const agreements = new Map<string, Agreement>();
  const keys = new Map<string, { hash: string; id: string }>();
  const seen: {
    callers: Caller[];
    requests: { method: string; request: unknown }[];
    lockTokens: (string | undefined)[];
  } = { callers: [], requests: [], lockTokens: [] };
  const fail: { with: unknown } = { with: undefined };
  const corrections = { turnedOn: false };

  const held = new Set<string>();
  const core: FakeSignCore = {
    ...{ agreements, held, brands: new Map() },
    enter: (context, method, request) => {
      const caller = requireCaller(context);
      seen.callers.push(caller);
      seen.lockTokens.push(context.requestHeader.get("x-edit-lock") ?? undefined);
      seen.requests.push({ method, request });
      if (fail.with !== undefined) throw fail.with;
      return caller;
    },
    find: (target, caller) => findTarget(agreements, target, caller),
  };

  /** The agreement that an earlier call with the same key made. */
  const replay = (orgId: string, key: string, requestHash: Uint8Array): Agreement | undefined => {
    const known = key === "" ? undefined : keys.get(`${orgId} ${key}`);
    if (known !== undefined && known.hash !== hex(requestHash)) throw new DomainError("IDEMPOTENCY_KEY_REUSED");
    return known && agreements.get(known.id);
  };
  const remember = (orgId: string, key: string, requestHash: Uint8Array, id: string): void => {
    if (key !== "") keys.set(`${orgId} ${key}`, { hash: hex(requestHash), id });
  };

  const handlers: SignHandlers = {
    createAgreement: (request, context) => {
      const { orgId } = core.enter(context, "createAgreement", request);
      const { idempotencyKey, requestHash } = request;
      const known = replay(orgId, idempotencyKey, requestHash);
      if (known !== undefined) return { agreement: known, replayed: true };
      const agreement = request.isTemplate ? sampleTemplate() : sampleAgreement();
      agreement.organizationId = orgId;
      if (!request.isTemplate) agreement.status = request.send ? AgreementStatus.SENT : AgreementStatus.CREATED;
      assignDefinition(agreement, request.definition);
      agreements.set(agreement.id, agreement);
      remember(orgId, idempotencyKey, requestHash, agreement.id);
      return { agreement, replayed: false };
    },
    getAgreement: (request, context) => {
      const caller = core.enter(context, "getAgreement", request);
      return { agreement: core.find(request.target, caller) };
    },
    getActivity: (request, context) => {
      core.enter(context, "getActivity", request);
      return { statuses: [{ status: AgreementStatus.SENT, agreements: 4n }], sent: 2n, completed: 1n, declined: 0n };
    },
    listAgreements: (request, context) => {
      const { orgId } = core.enter(context, "listAgreements", request);
      const all = [...agreements.values()].filter(
        ({ organizationId, status, id }) =>
          organizationId === orgId &&
          (status === AgreementStatus.TEMPLATE) === request.templates &&
          (request.statuses.length === 0 || request.statuses.includes(status)) &&
          (request.ids.length === 0 || request.ids.includes(id)),
      );
      const start = request.cursor === "" ? request.offset : Number(request.cursor);
      const end = start + (request.limit || 50);
      return {
        agreements: all.reverse().slice(start, end),
        nextCursor: end < all.length ? String(end) : "",
        ...(request.withTotal ? { total: BigInt(all.length) } : {}),
      };
    },
    updateAgreement: (request, context) => {
      const caller = core.enter(context, "updateAgreement", request);
      const agreement = core.find(request.target, caller);
      requireDraft(agreement);
      assignDefinition(agreement, request.changes);
      if (request.replaceRecipients && request.changes?.recipients.length === 0) agreement.recipients = [];
      return { agreement };
    },
    deleteAgreement: (request, context) => {
      const caller = core.enter(context, "deleteAgreement", request);
      const agreement = core.find(request.target, caller);
      requireDraft(agreement);
      agreements.delete(agreement.id);
      return {};
    },
    sendAgreement: (request, context) => {
      const caller = core.enter(context, "sendAgreement", request);
      const { idempotencyKey, requestHash, agreementId } = request;
      const agreement = core.find(agreementTarget(agreementId), caller);
      if (replay(caller.orgId, idempotencyKey, requestHash) !== undefined) return { agreement, replayed: true };
      if (agreement.status !== AgreementStatus.CREATED) throw new DomainError("ENVELOPE_ALREADY_SENT");
      agreement.status = AgreementStatus.SENT;
      remember(caller.orgId, idempotencyKey, requestHash, agreement.id);
      return { agreement, replayed: false };
    },
    voidAgreement: (request, context) => {
      const caller = core.enter(context, "voidAgreement", request);
      const agreement = core.find(agreementTarget(request.agreementId), caller);
      if (agreement.status !== AgreementStatus.SENT && agreement.status !== AgreementStatus.DELIVERED) {
        throw new DomainError("INVALID_ENVELOPE_STATUS", { metadata: { operation: "void" } });
      }
      const { reason } = request;
      return {
        agreement: Object.assign(agreement, {
          status: AgreementStatus.VOIDED,
          voidedReason: reason,
          voidedAt: at(9),
        }),
      };
    },
    purgeAgreement: (request, context) => {
      const caller = core.enter(context, "purgeAgreement", request);
      const agreement = core.find(agreementTarget(request.agreementId), caller);
      if (agreement.status !== AgreementStatus.COMPLETED && agreement.status !== AgreementStatus.VOIDED) {
        throw new DomainError("INVALID_ENVELOPE_STATUS", { metadata: { operation: "purge" } });
      }
      agreement.purge = create(PurgeSchema, { state: request.state, requestedAt: at(10) });
      return { agreement };
    },
    remindAgreement: (request, context) => {
      const caller = core.enter(context, "remindAgreement", request);
      const agreement = core.find(agreementTarget(request.agreementId), caller);
      if (agreement.status !== AgreementStatus.SENT) throw new DomainError("INVALID_ENVELOPE_STATUS");
      return { agreement };
    },
    resumeAgreement: (request, context) => {
      const { orgId, ...caller } = core.enter(context, "resumeAgreement", request);
      const { idempotencyKey, requestHash, agreementId } = request;
      const agreement = core.find(agreementTarget(agreementId), { orgId, ...caller });
      if (replay(orgId, idempotencyKey, requestHash) !== undefined) return { agreement, replayed: true };
      if (agreement.status !== AgreementStatus.SENT) throw new DomainError("INVALID_ENVELOPE_STATUS");
      remember(orgId, idempotencyKey, requestHash, agreement.id);
      return { agreement, replayed: false };
    },
    correctAgreement: (request, context) => {
      const caller = core.enter(context, "correctAgreement", request);
      const agreement = core.find(agreementTarget(request.agreementId), caller);
      if (request.ifTurnedOn && !corrections.turnedOn) throw new DomainError("ENVELOPE_CANNOT_BE_MODIFIED");
      if (agreement.status !== AgreementStatus.SENT) throw new DomainError("INVALID_ENVELOPE_STATUS");
      const recipientIds = request.recipients.map(({ recipientId }) => recipientId);
      return { agreement, replayed: false, recipientIds, tabIds: [] };
    },
    unlockVerification: (request, context) => {
      const caller = core.enter(context, "unlockVerification", request);
      return { agreement: core.find(agreementTarget(request.agreementId), caller) };
    },
    // What is reported is nobody's organization.
    reportUndelivered: (request) => {
      seen.requests.push({ method: "reportUndelivered", request });
      return {};
    },
    ...createFakeSignFiles(core),
    ...createFakeSignEdits(core),
    ...createFakeSignBrands(core),
    ...createFakeSignBulk(core),
    ...createFakeSignUploads(core),
    ...createFakeSignViews(core),
    ...createFakeSignPrivacy(core),
  };
  const routes: RpcRoutes = (router) => {
    router.service(SignService, { ...handlers, ...more(core) });
    router.service(SigningService, { ...noLinks, ...signing });
  };
  return {
    ...{ routes, agreements, held },
    seen,
    fail,
    /** Whether organizations have turned them on for the compatible interface. */
    corrections,
    /** What the last call of an RPC brought. */
    lastRequest: <Request>(method: string): Request =>
      seen.requests.findLast((one) => one.method === method)?.request as Request,
    /** Puts an agreement there, of an organization. */
    add: (organizationId: string, fields: FieldsOf<typeof AgreementSchema> = {}): Agreement => {
      const agreement = sampleAgreement({ ...fields, organizationId });
      agreements.set(agreement.id, agreement);
      return agreement;
    },
    addTemplate: (organizationId: string, fields: FieldsOf<typeof AgreementSchema> = {}): Agreement => {
      const template = sampleTemplate({ ...fields, organizationId });
      agreements.set(template.id, template);
      return template;
    },
  };
}

/** Every link has ended. */
const noLinks: SigningHandlers = {
  openView: () => {
    throw new DomainError("VIEW_URL_EXPIRED");
  },
};

export type FakeSign = ReturnType<typeof createFakeSign>;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const agreementTarget = (value: string) => ({ id: { case: "agreementId", value } }) as Target;

function findTarget(agreements: FakeSignCore["agreements"], target: Target | undefined, caller: Caller): Agreement {
  const wantsTemplate = target?.id.case === "templateId";
  const found = agreements.get(target?.id.value ?? "");
  const isTemplate = found?.status === AgreementStatus.TEMPLATE;
  if (found === undefined || found.organizationId !== caller.orgId || isTemplate !== wantsTemplate) {
    throw new DomainError(wantsTemplate ? "TEMPLATE_NOT_FOUND" : "ENVELOPE_NOT_FOUND");
  }
  return found;
}

/** Throws for what cannot be changed any more. */
export function requireDraft({ status }: Agreement): void {
  if (status !== AgreementStatus.CREATED && status !== AgreementStatus.TEMPLATE) {
    throw new DomainError("ENVELOPE_CANNOT_BE_MODIFIED");
  }
}

function assignDefinition(agreement: Agreement, definition: AgreementDefinition | undefined): void {
  const { emailSubject, emailBlurb, name, description, shared, brandId, schedule, routing } = definition ?? {};
  Object.assign(agreement, {
    ...(emailSubject === undefined ? {} : { emailSubject }),
    ...(schedule === undefined ? {} : { schedule }),
    ...(routing === undefined ? {} : { routing }),
    ...(emailBlurb === undefined ? {} : { emailBlurb }),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(shared === undefined ? {} : { shared }),
    ...(brandId === undefined ? {} : { brandId }),
  });
}
