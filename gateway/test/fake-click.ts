import type { JsonObject } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { evidence } from "#api/evidence.ts";
import { receipt } from "#api/receipts.ts";
import { stats } from "#api/stats.ts";
import {
  type AcceptBatchRequest,
  type AcceptBatchRequest_Item,
  type AppendSessionEventsRequest,
  ClickService,
  type CompleteSessionRequest,
  type CreateSessionRequest,
  type GetEvidenceBundleRequest,
  type GetTemplateStatsRequest,
  type ListAcceptancesRequest,
  SessionOrigin,
  SessionOutcome,
  SessionStatus,
  type VerifyReceiptRequest,
} from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { fakeCampaigns } from "./fake-campaigns.ts";
import { createFakeConsent } from "./fake-consent.ts";
import { createFakeErasure } from "./fake-erasure.ts";
import { createFakeEvidenceKeys } from "./fake-evidence-keys.ts";
import { createFakeLog } from "./fake-log.ts";
import { createFakeRender } from "./fake-render.ts";
import { wholeJson } from "./whole-json.ts";

const now = timestampFromDate(new Date("2026-11-20T17:00:00.123Z"));

/** Of the session that is completed. */
export const completedReceiptId = "0190a000-0000-7000-8000-0000000000c1";

/** A click service that keeps everything in memory: enough to tell a record, a replay and a reused key apart. */
export function createFakeClick() {
  const receipts = new Map<string, { body: string; receiptId: string; json: string; organizationId: string }>();
  /** The templates that have statistics, with their organizations. */
  const statsOf = new Map<string, string>();
  const sessions = new Map<string, { organizationId: string; userRef: string | undefined }>();
  const seen: {
    batches: AcceptBatchRequest[];
    sessions: CreateSessionRequest[];
    completions: CompleteSessionRequest[];
    events: AppendSessionEventsRequest[];
    lists: ListAcceptancesRequest[];
    stats: GetTemplateStatsRequest[];
    bundles: GetEvidenceBundleRequest[];
    verifications: VerifyReceiptRequest[];
  } = {
    bundles: [],
    verifications: [],
    events: [],
    lists: [],
    stats: [],
    batches: [],
    sessions: [],
    completions: [],
  };
  /** What a batch does before it is recorded, such as failing. */
  const before: { batch: (request: AcceptBatchRequest) => Promise<void> | void } = { batch: () => {} };

  const record = ({ caller, idempotencyKey, body }: AcceptBatchRequest_Item) => {
    const text = Buffer.from(body).toString();
    const organizationId = caller?.organizationId ?? "";
    const key = `${organizationId} ${idempotencyKey}`;
    const known = receipts.get(key);
    if (known === undefined) {
      const receiptId = newId();
      const json = wholeJson(receipt.schemas.answer, { receiptId, idempotencyKey, organizationId });
      receipts.set(key, { body: text, receiptId, json, organizationId });
      return receiptOutcome(receiptId, json, false);
    }
    if (known.body !== text) {
      return { outcome: { case: "error" as const, value: { errorCode: "CLICK_IDEMPOTENCY_KEY_REUSED" } } };
    }
    return receiptOutcome(known.receiptId, known.json, true);
  };
  const consent = createFakeConsent();
  const erasure = createFakeErasure((sessionId) => sessions.get(sessionId)?.organizationId);
  const log = createFakeLog();
  const evidenceKeys = createFakeEvidenceKeys();
  const render = createFakeRender((sessionId) => sessions.get(sessionId)?.organizationId);
  /** What a session has beyond what every one has. */
  const extras: {
    session: { renderToken?: string; deploymentId?: string; data?: JsonObject; verification?: JsonObject };
  } = {
    session: {},
  };
  /** The most receipts that fit into one page. */
  const pages: { items: number } = { items: 1_000 };
  const sessionOf = (id: string, organizationId: string) => {
    const session = sessions.get(id);
    if (session?.organizationId !== organizationId) throw new DomainError("CLICK_SESSION_NOT_FOUND");
    return {
      id,
      organizationId,
      templateId: newId(),
      templateSlug: "terms",
      templateType: "STATIC",
      versionId: newId(),
      revision: 1,
      label: "1.0",
      locale: "en",
      contentHash: `sha256:${"0".repeat(64)}`,
      userRef: session.userRef,
      status: SessionStatus.PENDING,
      outcome: SessionOutcome.UNSPECIFIED,
      origin: SessionOrigin.API,
      policy: { verificationMethods: [] },
      createdAt: now,
      updatedAt: now,
      expiresAt: now,
      ...extras.session,
    };
  };

  const routes: RpcRoutes = (router) => {
    router.service(ClickService, {
      acceptBatch: async (request) => {
        seen.batches.push(request);
        await before.batch(request);
        return { results: request.items.map(record) };
      },
      createSession: (request, context) => {
        const { orgId } = requireCaller(context);
        seen.sessions.push(request);
        const id = newId();
        sessions.set(id, { organizationId: orgId, userRef: request.userRef });
        return { session: sessionOf(id, orgId) };
      },
      getSession: ({ sessionId }, context) => ({ session: sessionOf(sessionId, requireCaller(context).orgId) }),
      completeSession: (request, context) => {
        const session = sessionOf(request.sessionId, requireCaller(context).orgId);
        seen.completions.push(request);
        const completed = {
          ...session,
          status: SessionStatus.COMPLETED,
          outcome: SessionOutcome.NONE,
          completedAt: now,
        };
        return {
          session: completed,
          receiptsJson: [wholeJson(receipt.schemas.answer, { receiptId: completedReceiptId })],
        };
      },
      cancelSession: ({ sessionId }, context) => ({
        session: { ...sessionOf(sessionId, requireCaller(context).orgId), status: SessionStatus.CANCELLED },
      }),
      appendSessionEvents: (request, context) => {
        const session = sessionOf(request.sessionId, requireCaller(context).orgId);
        seen.events.push(request);
        return { session, events: request.events.map((event) => ({ ...event, serverAt: now })) };
      },
      listAcceptances: (request, context) => {
        const { orgId } = requireCaller(context);
        seen.lists.push(request);
        const own = [...receipts.values()].filter((receipt) => receipt.organizationId === orgId);
        const start = Number(request.cursor);
        const end = start + Math.min(request.limit, pages.items);
        return {
          receiptsJson: own.slice(start, end).map(({ json }) => json),
          nextCursor: end < own.length ? String(end) : "",
        };
      },
      getTemplateStats: (request, context) => {
        seen.stats.push(request);
        if (statsOf.get(request.templateId) !== requireCaller(context).orgId) {
          throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
        }
        return { statsJson: wholeJson(stats.schemas.answer, { templateId: request.templateId, declines: 0 }) };
      },
      ...fakeCampaigns,
      listAgreementStates: ({ templateId, userRefs }, context) => {
        if (statsOf.get(templateId) !== requireCaller(context).orgId) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
        return { asOf: now, users: userRefs.map((userRef) => ({ userRef, outstanding: true })) };
      },
      getActivity: ({ since }, context) => {
        requireCaller(context);
        return { hours: since === undefined ? [] : [{ hour: since, acceptances: 3n, declines: 1n }] };
      },
      ...consent.handlers,
      ...erasure.handlers,
      ...log.handlers,
      ...evidenceKeys.handlers,
      ...render.handlers,
      getReceipt: ({ receiptId }, context) => {
        const { orgId } = requireCaller(context);
        const found = [...receipts.values()].find((r) => r.receiptId === receiptId && r.organizationId === orgId);
        if (found === undefined) throw new DomainError("CLICK_RECEIPT_NOT_FOUND");
        return { receiptJson: found.json };
      },
      getEvidenceBundle: (request, context) => {
        const { sessionId } = request;
        sessionOrEvidence(sessions.get(sessionId)?.organizationId, requireCaller(context).orgId);
        seen.bundles.push(request);
        if (request.pdf) return { pdf: Buffer.from("%PDF-1.7 evidence") };
        if (request.archive) return { archive: Buffer.from("PK\u0003\u0004 archive") };
        return { bundleJson: wholeJson(evidence.schemas.answer, { sessionId }) };
      },
      verifyReceipt: (request) => {
        seen.verifications.push(request);
        return { valid: false, checks: [{ check: "FORM", ok: false, message: "It is nothing." }] };
      },
    });
  };
  return {
    routes,
    receipts,
    sessions,
    seen,
    before,
    stats: statsOf,
    extras,
    pages,
    consent,
    erasure,
    log,
    evidenceKeys,
    render,
  };
}

function sessionOrEvidence(owner: string | undefined, orgId: string): void {
  if (owner !== orgId) throw new DomainError("CLICK_EVIDENCE_NOT_FOUND");
}

const receiptOutcome = (receiptId: string, receiptJson: string, replayed: boolean) => ({
  outcome: { case: "receipt" as const, value: { receiptId, receiptJson, replayed } },
});

export type FakeClick = ReturnType<typeof createFakeClick>;
