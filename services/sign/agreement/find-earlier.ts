import type { Caller } from "#platform/caller.ts";
import type { SignDeps } from "../deps.ts";
import { findReplay, type KeyedAgreement, type KeyedRequest } from "./change-agreement.ts";

/**
 * What an earlier request with the key has done. Looked for first of all, so that it is answered whatever holds by now.
 * Throws IDEMPOTENCY_KEY_REUSED.
 */
export async function findEarlier(
  deps: Pick<SignDeps, "pool">,
  { orgId }: Pick<Caller, "orgId">,
  keyed: KeyedRequest | undefined,
  isTemplate: boolean,
): Promise<KeyedAgreement | undefined> {
  if (keyed === undefined) return undefined;
  const agreement = await findReplay(deps, orgId, keyed, isTemplate);
  return agreement === undefined ? undefined : { agreement, replayed: true };
}
