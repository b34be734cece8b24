import type pg from "pg";
import type { Caller } from "#platform/caller.ts";
import type { Clock } from "#platform/clock.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { KeyHasher } from "../accept/key-hasher.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import { type ErasePersonDeps, erasePerson } from "./erase-person.ts";
import { type ErasureAnswer, erasureAnswer } from "./erasure-answer.ts";
import type { ErasureReason } from "./erasure-leaf.ts";
import { findRules, type RulesDeps } from "./erasure-rules.ts";
import { withRetries } from "./with-retries.ts";

export interface EraseUserDeps extends RulesDeps, Omit<ErasePersonDeps, "maxRecords"> {
  /** Connects as the eraser. */
  readonly eraserPool: pg.Pool;
  readonly receiptKeys: Pick<SigningKeys, "signingAt">;
  readonly keys: KeyHasher;
  readonly clock: Clock;
  wakeRelay(): void;
  wakeIntegrator(organizationId: string): void;
}

export interface UserToErase {
  readonly userRef: string;
  readonly reason: ErasureReason;
}

/** What one transaction erases at most: it takes half a second, in which this person can accept nothing. */
const defaultMaxRecords = 10_000;

const maxRounds = 5;

/**
 * Erases what is known of a user, or restricts it where it must be kept: all of it or nothing, with its leaf in the log.
 * Throws CLICK_LEGAL_HOLD. Of nobody known it answers that nothing was erased. What is beyond the most that one
 * transaction takes is left for the next call.
 */
export async function eraseUser(
  deps: EraseUserDeps,
  caller: Caller,
  { userRef, reason }: UserToErase,
  maxRecords = defaultMaxRecords,
): Promise<ErasureAnswer> {
  const { vault, keys, clock, issuer } = deps;
  const { orgId } = caller;
  const subjectIndex = vault.subjectIndex(orgId, userRef);
  const userKey = keys.userKey(orgId, userRef);
  for (let round = 1; round <= maxRounds; round += 1) {
    const now = clock.now();
    const facts = { issuer, organizationId: orgId, requestedAt: now };
    // Both are asked before anything is locked.
    const rules = await findRules(deps, orgId, subjectIndex);
    if (rules === undefined) return erasureAnswer(facts);
    await deps.receiptKeys.signingAt(now);
    const person = { caller, subjectIndex, userKey, rules, reason, now };
    const erasure = await withRetries(() =>
      withOrg(deps.eraserPool, orgId, (client) => erasePerson({ ...deps, maxRecords }, client, person)),
    );
    if (erasure === undefined) continue;
    if (erasure.concluded !== null) {
      deps.wakeRelay();
      deps.wakeIntegrator(orgId);
    }
    return erasureAnswer(facts, erasure);
  }
  throw new DomainError("SERVICE_UNAVAILABLE", { metadata: { retryAfterSeconds: "1" } });
}
