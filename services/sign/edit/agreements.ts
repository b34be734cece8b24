import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService, UpdateAgreementRequest } from "#gen/assent/sign/v1/sign_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrgSnapshot } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { momentOf } from "#platform/problems.ts";
import type { Agreement } from "../agreement/agreement.ts";
import { createAgreementReader } from "../agreement/agreement-store.ts";
import {
  changeAgreement,
  changeWithKey,
  isTemplate,
  type NewBytes,
  notFound,
  type TargetId,
} from "../agreement/change-agreement.ts";
import { agreementTarget, decisionContext, requireTarget, targetOf, waitingCaller } from "../agreement/context.ts";
import type { Definition } from "../agreement/definition.ts";
import { agreementMessage, wireAgreementStatuses } from "../agreement/messages.ts";
import { refuse, requireModifiable, requireUnmodified } from "../agreement/problems.ts";
import { requireBrands } from "../brands/handlers.ts";
import { parseDefinition } from "../create/input.ts";
import { bytesOf, newDocuments, numberDocuments } from "../create/new-documents.ts";
import type { SignDeps } from "../deps.ts";
import { countByStatus, countMoves } from "../list/list-store.ts";
import { findHeld } from "../retention/holds.ts";
import { shareRules } from "../retention/periods.ts";
import { deleteAgreement as decideDelete, voidAgreement as decideVoid } from "../send/end-agreement.ts";
import { remindAgreement as decideRemind } from "../send/send-agreement.ts";
import { checkFiles } from "./documents.ts";
import { documentLimitProblems } from "./edit-documents.ts";
import { updateAgreement as decideUpdate, type UpdateAgreement } from "./update-agreement.ts";

export function getAgreement({ pool }: Pick<SignDeps, "pool">): Pick<ServiceImpl<typeof SignService>, "getAgreement"> {
  const read = createAgreementReader(pool);
  return {
    async getAgreement(request, context) {
      const { orgId } = requireCaller(context);
      const target = targetOf(request.target);
      const agreement = await read(orgId, target.id);
      if (agreement === undefined || isTemplate(agreement) !== target.isTemplate) throw notFound(target.isTemplate);
      const shown = request.withoutTabs ? withoutTabs(agreement) : agreement;
      return { agreement: agreementMessage(shown, orgId) };
    },
  };
}

const withoutTabs = (agreement: Agreement): Agreement => ({
  ...agreement,
  recipients: agreement.recipients.map((recipient) => ({ ...recipient, tabs: [] })),
});

export const updateAgreement = (deps: SignDeps): Pick<ServiceImpl<typeof SignService>, "updateAgreement"> => ({
  async updateAgreement(request, context) {
    const caller = waitingCaller(context);
    const target = targetOf(request.target);
    await deps.organizations.of(caller.orgId);
    const replacement = await prepareReplacement(deps, caller, target, request);
    const decision = decisionContext(deps, caller, request.observed);
    const { replaceRecipients, replaceCustomFields } = request;
    const decide = async (current: Agreement, tenant: Tenant) => {
      // The status is checked before the request's content, so that its error comes first.
      requireModifiable(current);
      if (request.ifModifiedAt) requireUnmodified(current, timestampDate(request.ifModifiedAt));
      const changes = parseDefinition(request.changes);
      await requireBrands(tenant, [changes]);
      return decideUpdate(current, { changes, replaceRecipients, replaceCustomFields, ...replacement.given }, decision);
    };
    const agreement = await changeAgreement(deps, caller, target, decide, replacement.bytes);
    return { agreement: agreementMessage(agreement, caller.orgId) };
  },
});

interface Replacement {
  readonly given: Pick<UpdateAgreement, "documents" | "files">;
  readonly bytes: NewBytes;
}

/** Prepares documents that replace all existing ones. Files are checked before any lock is taken. */
async function prepareReplacement(
  deps: SignDeps,
  { orgId }: Caller,
  target: TargetId,
  request: UpdateAgreementRequest,
): Promise<Replacement> {
  if (!request.replaceDocuments) return { given: {}, bytes: new Map() };
  requireModifiable(await requireTarget(deps, orgId, target));
  const definition: Definition = parseDefinition(request.changes);
  const numbered = numberDocuments(definition.documents);
  refuse(documentLimitProblems(numbered.map((one) => ({ bytes: sizeOf(one) }))));
  const checked = await checkFiles(deps, orgId, numbered);
  const documents = newDocuments(numbered, checked, deps);
  // Those that were uploaded before are counted now.
  refuse(documentLimitProblems(documents));
  return { given: { documents, files: checked }, bytes: bytesOf(documents, checked) };
}

const sizeOf = ({ source }: Definition["documents"][number]): number =>
  source.kind === "file" && source.content instanceof Uint8Array ? source.content.byteLength : 0;

export const deleteAgreement = (deps: SignDeps): Pick<ServiceImpl<typeof SignService>, "deleteAgreement"> => ({
  async deleteAgreement({ target, observed }, context) {
    const caller = waitingCaller(context);
    await deps.organizations.of(caller.orgId);
    const decision = decisionContext(deps, caller, observed);
    const decide = async (current: Agreement, tenant: Tenant) => {
      const change = decideDelete(current, decision);
      const { id } = current;
      if ((await findHeld(tenant, deps.vault, [id])).has(id)) throw new DomainError("LEGAL_HOLD");
      return change;
    };
    // Holds that were answered before are seen, and others wait.
    await changeWithKey(deps, caller, targetOf(target), decide, { first: shareRules });
    return {};
  },
});

export const voidAgreement = (deps: SignDeps): Pick<ServiceImpl<typeof SignService>, "voidAgreement"> => ({
  async voidAgreement({ agreementId, reason, observed }, context) {
    const caller = waitingCaller(context);
    await deps.organizations.of(caller.orgId);
    const agreement = await changeAgreement(deps, caller, agreementTarget(agreementId), (current) =>
      decideVoid(current, { reason }, decisionContext(deps, caller, observed)),
    );
    return { agreement: agreementMessage(agreement, caller.orgId) };
  },
});

export const remindAgreement = (deps: SignDeps): Pick<ServiceImpl<typeof SignService>, "remindAgreement"> => ({
  async remindAgreement({ agreementId, observed }, context) {
    const caller = waitingCaller(context);
    await deps.organizations.of(caller.orgId);
    const agreement = await changeAgreement(deps, caller, agreementTarget(agreementId), (current) =>
      decideRemind(current, decisionContext(deps, caller, observed)),
    );
    return { agreement: agreementMessage(agreement, caller.orgId) };
  },
});

export const getActivity = (deps: Pick<SignDeps, "pool">): Pick<ServiceImpl<typeof SignService>, "getActivity"> => ({
  async getActivity({ since }, context) {
    const { orgId } = requireCaller(context);
    const from = momentOf("since", since);
    return withOrgSnapshot(deps.pool, orgId, async (tenant) => {
      const statuses = await countByStatus(tenant);
      const { sent, completed, declined } = await countMoves(tenant, from);
      return {
        statuses: statuses.map(({ status, agreements }) => ({
          status: wireAgreementStatuses[status],
          agreements: BigInt(agreements),
        })),
        sent: BigInt(sent),
        completed: BigInt(completed),
        declined: BigInt(declined),
      };
    });
  },
});
