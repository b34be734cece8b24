import type { HandlerContext } from "@connectrpc/connect";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrgSnapshot } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import type { SignDeps } from "../deps.ts";
import type { Agreement, Sender } from "./agreement.ts";
import { loadAgreement } from "./agreement-store.ts";
import type { DecisionContext } from "./change.ts";
import {
  type CallerContext,
  findReplay,
  type KeyedAgreement,
  type KeyedRequest,
  type TargetId,
} from "./change-agreement.ts";
import { boundedClaim } from "./problems.ts";

/** The caller of a write, with a signal that aborts when the caller stops waiting. */
export const waitingCaller = (context: HandlerContext): Caller & CallerContext & { readonly lockToken: string } => ({
  ...requireCaller(context),
  signal: context.signal,
  lockToken: context.requestHeader.get("x-edit-lock") ?? "",
});

/** The context of a decision made on the caller's behalf. */
export const decisionContext = (
  deps: Pick<SignDeps, "clock" | "newId" | "organizations">,
  caller: Pick<Caller, "orgId" | "clientId">,
  observed: { readonly ip: string; readonly userAgent: string } | undefined,
): DecisionContext => ({
  now: deps.clock.now(),
  newId: deps.newId,
  actor: {
    source: "api",
    ...senderOf(deps, caller),
    ip: observed?.ip ?? "",
    userAgent: boundedClaim(observed?.userAgent ?? ""),
  },
});

/** The sender of the caller's agreements: the client, under its organization's name. */
export const senderOf = (
  { organizations }: Pick<SignDeps, "organizations">,
  { orgId, clientId }: Pick<Caller, "orgId" | "clientId">,
): Sender => ({ id: clientId, name: organizations.known(orgId)?.name || clientId, email: "" });

/** The target's ids, in the database's spelling. */
export function targetOf(
  target: { readonly id: { case: "agreementId" | "templateId"; value: string } | { case: undefined } } | undefined,
): TargetId {
  const id = target?.id;
  // The proto's rules require it.
  if (id?.case === undefined || !isUuid(id.value)) throw new DomainError("VALIDATION_FAILED");
  return { id: id.value.toLowerCase(), isTemplate: id.case === "templateId" };
}

/** The target of RPCs that accept agreements only. */
export const agreementTarget = (agreementId: string): TargetId => ({
  id: agreementId.toLowerCase(),
  isTemplate: false,
});

/** The agreement or template with this id. Throws ENVELOPE_NOT_FOUND or TEMPLATE_NOT_FOUND. */
export const requireTarget = (deps: Pick<SignDeps, "pool">, orgId: OrgId, target: TargetId): Promise<Agreement> =>
  withTarget(deps, orgId, target, async (agreement) => agreement);

/** Reads what belongs to an agreement or template from one snapshot. Throws what requireTarget does. */
export const withTarget = <T>(
  { pool }: Pick<SignDeps, "pool">,
  orgId: OrgId,
  target: TargetId,
  read: (agreement: Agreement, tenant: Tenant) => Promise<T>,
): Promise<T> =>
  withOrgSnapshot(pool, orgId, async (tenant) => {
    const agreement = await loadAgreement(tenant, target.id);
    if (agreement === undefined || (agreement.status === "template") !== target.isTemplate) {
      throw new DomainError(target.isTemplate ? "TEMPLATE_NOT_FOUND" : "ENVELOPE_NOT_FOUND");
    }
    return read(agreement, tenant);
  });

/**
 * The result of an earlier request with the key. Checked before anything else, so that a replay succeeds
 * whatever the agreement's state is now. Throws IDEMPOTENCY_KEY_REUSED.
 */
export async function findEarlier(
  deps: Pick<SignDeps, "pool" | "clock" | "codes">,
  { orgId }: Pick<Caller, "orgId">,
  keyed: KeyedRequest | undefined,
  isTemplate: boolean,
): Promise<KeyedAgreement | undefined> {
  if (keyed === undefined) return undefined;
  const agreement = await findReplay(deps, orgId, keyed, isTemplate);
  return agreement === undefined ? undefined : { agreement, replayed: true };
}

/** The idempotency key of a request; undefined when it has none. */
export const keyedRequest = (request: {
  readonly idempotencyKey: string;
  readonly requestHash: Uint8Array;
}): KeyedRequest | undefined =>
  request.idempotencyKey === "" ? undefined : { key: request.idempotencyKey, requestHash: request.requestHash };
