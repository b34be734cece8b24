import type pg from "pg";
import type { Erasure } from "#api/erasures.ts";
import type { Caller } from "#platform/caller.ts";
import type { Clock } from "#platform/clock.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import { integrationMs, logOrigin } from "../log/leaf.ts";
import type { KeyHasher } from "../vault/subject-vault.ts";
import { type ErasePersonDeps, erasePerson, type PersonErasure } from "./erase-person.ts";
import { type ErasureReason, findRules, type RulesDeps, retentionBasis, withRetries } from "./erasure-rules.ts";

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
  /** Of the erasure, if there is anything to erase; a new one when absent. */
  readonly erasureId?: string;
  /** The legal holds of other services that were looked at. */
  readonly holdMark: number;
}

/** The limit of one transaction: it takes half a second, during which this person cannot accept anything. */
export const defaultMaxRecords = 10_000;

const maxRounds = 5;

/**
 * Erases a user's records, or restricts those that must be kept, all or nothing, with a leaf in the log. Throws
 * CLICK_LEGAL_HOLD and HOLDS_CHANGED. For an unknown user it reports that nothing was erased. Records beyond the limit of one
 * transaction are left for the next call.
 */
export async function eraseUser(
  deps: EraseUserDeps,
  caller: Caller,
  { userRef, reason, erasureId, holdMark }: UserToErase,
  maxRecords = defaultMaxRecords,
): Promise<Erasure> {
  const { vault, keys, clock, issuer } = deps;
  const { orgId } = caller;
  const subjectIndex = vault.subjectIndex(orgId, userRef);
  const userKey = keys.userKey(orgId, userRef);
  for (let round = 1; round <= maxRounds; round += 1) {
    const now = clock.now();
    const facts = { issuer, organizationId: orgId, requestedAt: now };
    // Both are looked up before any lock is taken.
    const rules = await findRules(deps, orgId, subjectIndex);
    if (rules === undefined) return erasureAnswer(facts);
    await deps.receiptKeys.signingAt(now);
    const person = { caller, subjectIndex, userKey, rules, reason, erasureId, holdMark, now };
    const erasure = await withRetries(() =>
      withOrg(deps.eraserPool, orgId, (tenant) => erasePerson({ ...deps, maxRecords }, tenant, person)),
    );
    if (erasure === undefined) continue;
    if (erasure.concluded !== null || erasure.campaignIds.length > 0) {
      deps.wakeRelay();
      deps.wakeIntegrator(orgId);
    }
    return erasureAnswer(facts, erasure);
  }
  throw new DomainError("SERVICE_UNAVAILABLE");
}

interface AnswerFacts {
  readonly issuer: string;
  readonly organizationId: string;
  readonly requestedAt: Date;
}

const nothingFound: PersonErasure = {
  erased: { receiptIds: [], sessionIds: [], changeIds: [] },
  restricted: [],
  campaignIds: [],
  complete: true,
  concluded: null,
};

function erasureAnswer(
  facts: AnswerFacts,
  { erased, restricted, campaignIds, complete, concluded }: PersonErasure = nothingFound,
): Erasure {
  return {
    erasureId: concluded?.erasureId ?? null,
    userRef: null,
    requestedAt: facts.requestedAt.toISOString(),
    complete,
    erased: {
      ...{ receipts: erased.receiptIds, sessions: erased.sessionIds, consentChanges: erased.changeIds },
      ...(campaignIds.length > 0 && { campaigns: campaignIds }),
    },
    restricted: restricted.map(({ recordId, until }) => ({
      receiptId: recordId,
      until: until.toISOString(),
      basis: retentionBasis,
    })),
    kept: [...(concluded === null ? [] : keptAlways), ...(restricted.length === 0 ? [] : [keptRestricted])],
    log: concluded === null ? null : placeOf(facts, concluded),
    statement,
  };
}

const keptAlways = [
  {
    what: "ids, times, texts and hashes of receipts, in the log and in their rows",
    why: "They prove that the log is complete and that evidence of others holds; no one can be found by them.",
  },
  {
    what: "keyed hashes of idempotency keys and of request bodies",
    why: "A request that is sent again must not be recorded again.",
  },
  {
    what: "a keyed hash of the user reference in events of the last days",
    why: "Events are kept for 7 days, so that none is lost.",
  },
  { what: "counts in statistics", why: "They do not tell who was counted." },
];

const keptRestricted = {
  what: "what is personal in the records under restricted",
  why: "The time for which they must be kept is not over (GDPR art. 17(3)(e)). Until then only an administrator can open them, saying why (art. 18), which is logged; then they are erased.",
};

const statement =
  "What was personal in the records named under erased is gone: the keys that it was encrypted with have been deleted, and without them no copy of it can be read. A backup that holds the keys too must be deleted in its own time. Receipts, disclosures, evidence bundles and events that were handed out before are with those who got them.";

const placeOf = (
  { issuer, organizationId, requestedAt }: AnswerFacts,
  { leafIndex, epoch, leafHash }: NonNullable<PersonErasure["concluded"]>,
): Erasure["log"] => ({
  logId: organizationId,
  origin: logOrigin(issuer, organizationId, epoch),
  leafIndex,
  leafHash: `sha256:${leafHash.toString("hex")}`,
  integrateBy: new Date(requestedAt.getTime() + integrationMs).toISOString(),
});
