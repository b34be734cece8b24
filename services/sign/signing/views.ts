import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type CreateRecipientViewRequest, SenderViewKind } from "#gen/assent/sign/v1/sign_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import type { Agreement } from "../agreement/agreement.ts";
import { type Change, changeTo, type DecisionContext } from "../agreement/change.ts";
import { changeAgreement } from "../agreement/change-agreement.ts";
import { agreementTarget, decisionContext, requireTarget, waitingCaller } from "../agreement/context.ts";
import { invalid, problem } from "../agreement/problems.ts";
import { auditNames } from "../agreement/recipients.ts";
import { invalidStatus } from "../agreement/transitions.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import { requireFrameAncestors, requireReturnUrl } from "./return-url.ts";
import { linkExpiry, newViewToken, requireViewRecipient, type View, type ViewKind, viewTokenHash } from "./view.ts";
import { insertView } from "./view-store.ts";

export const createRecipientView = (deps: SignDeps): SignRpcs<"createRecipientView"> => ({
  async createRecipientView(request, context) {
    const caller = waitingCaller(context);
    const target = agreementTarget(request.agreementId);
    const organization = await deps.organizations.of(caller.orgId);
    await requireTarget(deps, caller.orgId, target);
    const allowed = { isSandbox: organization.sandbox };
    const returnUrl = requireReturnUrl(request.returnUrl, allowed);
    const frameAncestors = requireFrameAncestors(request.frameAncestors, allowed);
    const decision = decisionContext(deps, caller, request.observed);
    const agreement = await changeAgreement(deps, caller, target, (current) => noteLink(current, request, decision));
    const recipientId = requireViewRecipient(agreement, request).id;
    const view = { kind: "recipient", agreementId: agreement.id, recipientId, returnUrl, frameAncestors } as const;
    const { token, expiresAt } = await createLink(deps, caller, view);
    return { token, expiresAt: timestampFromDate(expiresAt) };
  },
});

/** That a link was asked for stands in the trail before there is one. */
function noteLink(agreement: Agreement, request: CreateRecipientViewRequest, { actor }: DecisionContext): Change {
  const recipient = requireViewRecipient(agreement, request);
  const { authenticationMethod } = request;
  const details = { ...auditNames(recipient), ...(authenticationMethod === "" ? {} : { authenticationMethod }) };
  return changeTo(agreement, { audit: [{ action: "recipient.link-made", actor, details }] });
}

export const createSenderView = (
  deps: Pick<SignDeps, "pool" | "clock" | "organizations">,
): SignRpcs<"createSenderView"> => ({
  async createSenderView(request, context) {
    const caller = requireCaller(context);
    const kind = kinds.get(request.kind);
    if (kind === undefined) throw invalid(problem("kind", "REQUIRED", "must be a kind of view"));
    const agreement = await findAgreement(deps, caller.orgId, request.agreementId);
    const { sandbox } = await deps.organizations.of(caller.orgId);
    // Who only looks may be led nowhere.
    const returnUrl =
      kind === "look" && request.returnUrl === "" ? "" : requireReturnUrl(request.returnUrl, { isSandbox: sandbox });
    requireDraft(agreement, kind);
    const agreementId = agreement?.id ?? null;
    const view = { kind, agreementId, recipientId: null, returnUrl, frameAncestors: [] };
    const { token, expiresAt } = await createLink(deps, caller, view);
    return { token, expiresAt: timestampFromDate(expiresAt) };
  },
});

const kinds: ReadonlyMap<SenderViewKind, ViewKind> = new Map([
  [SenderViewKind.SEND, "send"],
  [SenderViewKind.EDIT, "edit"],
  [SenderViewKind.LOOK, "look"],
]);

async function findAgreement(
  deps: Pick<SignDeps, "pool">,
  orgId: ReturnType<typeof requireCaller>["orgId"],
  agreementId: string,
): Promise<Agreement | undefined> {
  if (agreementId === "") return undefined;
  if (!isUuid(agreementId)) throw new DomainError("ENVELOPE_NOT_FOUND");
  return requireTarget(deps, orgId, agreementTarget(agreementId));
}

/** Only a draft can be sent or saved. */
function requireDraft(agreement: Agreement | undefined, kind: ViewKind): void {
  if (kind === "look") return;
  if (agreement === undefined) throw invalid(problem("agreementId", "REQUIRED", "must name a draft"));
  if (agreement.status !== "created") throw invalidStatus(agreement, kind);
}

type NewView = Pick<View, "kind" | "agreementId" | "recipientId" | "returnUrl" | "frameAncestors"> & {
  /** Whether it may be opened as often as somebody likes; once when absent. */
  readonly isReusable?: boolean;
};

/** Makes a link. Its token is known to nobody but the caller. */
export async function createLink(
  { pool, clock }: Pick<SignDeps, "pool" | "clock">,
  { orgId, clientId }: Pick<Caller, "orgId" | "clientId">,
  { isReusable = false, ...view }: NewView,
): Promise<{ readonly token: string; readonly expiresAt: Date }> {
  const token = newViewToken(orgId);
  const createdAt = clock.now();
  const expiresAt = linkExpiry(createdAt, isReusable);
  const row = { ...view, isReusable, tokenHash: viewTokenHash(token), createdBy: clientId, createdAt, expiresAt };
  await withOrg(pool, orgId, (tenant) => insertView(tenant, row));
  return { token, expiresAt };
}
