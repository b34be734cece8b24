import type { HandlerContext } from "@connectrpc/connect";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import type { SignDeps } from "../deps.ts";
import type { Sender } from "./agreement.ts";
import type { DecisionContext } from "./change.ts";
import type { CallerContext, TargetId } from "./change-agreement.ts";
import { boundedClaim } from "./problems.ts";

/** The caller of a request that writes, for as long as the answer is waited for. */
export const waitingCaller = (context: HandlerContext): Caller & CallerContext => ({
  ...requireCaller(context),
  signal: context.signal,
});

/** What a decision that the caller asks for is made with. */
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

/** On whose behalf the caller sends: the client, under the name of its organization. */
export const senderOf = (
  { organizations }: Pick<SignDeps, "organizations">,
  { orgId, clientId }: Pick<Caller, "orgId" | "clientId">,
): Sender => ({ id: clientId, name: organizations.known(orgId)?.name || clientId, email: "" });

/** The ids of a message's target, as the database writes them. */
export function targetOf(
  target: { readonly id: { case: "agreementId" | "templateId"; value: string } | { case: undefined } } | undefined,
): TargetId {
  const id = target?.id;
  // The proto's rules require it.
  if (id?.case === undefined || !isUuid(id.value)) throw new DomainError("VALIDATION_FAILED");
  return { id: id.value.toLowerCase(), isTemplate: id.case === "templateId" };
}

/** The target of RPCs that know agreements only. */
export const agreementTarget = (agreementId: string): TargetId => ({
  id: agreementId.toLowerCase(),
  isTemplate: false,
});
