import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { withOrg } from "#platform/db/pool.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import { isOutage } from "#platform/outage.ts";
import type { Worker } from "#platform/periodic.ts";
import { createPeriodicWorker } from "#platform/periodic.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import { type ConclusionDeps, concludeErasure } from "./conclude-erasure.ts";
import { findCurrent, isHeld, type RulesDeps } from "./erasure-rules.ts";
import { deleteEmptyHeads, eraseRecords, findDueRecords, listStillDue, postponeRecords } from "./erasure-store.ts";
import { findRecordTerms, findSubjects, lockHeads, lockPersons, lockSessionsOf } from "./person-store.ts";
import { withRetries } from "./plan-erasure.ts";

export interface EraseDueDeps extends RulesDeps, ConclusionDeps {
  /** Connects as the eraser. */
  readonly eraserPool: pg.Pool;
  readonly receiptKeys: Pick<SigningKeys, "signingAt">;
  readonly clock: Clock;
  /** Called after each commit that erased something of an organization. */
  onErased(organizationId: string): void;
}

/** Few enough that locking their persons is no burden. */
const batchSize = 200;

/** What a template holds beyond its time is looked at again so much later. */
const heldMs = 24 * 60 * 60 * 1000;

/**
 * Erases restricted records whose time is over, as the erasure that restricted them would have. Those of one organization
 * that are found together go together, with one leaf. Any number of processes may do it at the same time.
 */
export async function eraseDue(deps: EraseDueDeps): Promise<void> {
  let found = batchSize;
  while (found === batchSize) {
    const now = deps.clock.now();
    const due = await findDueRecords(deps.eraserPool, now, batchSize);
    for (const [organizationId, recordIds] of due) {
      await eraseOf(deps, parseOrgId(organizationId) as OrgId, recordIds, now);
    }
    found = [...due.values()].reduce((sum, ids) => sum + ids.length, 0);
  }
}

/** Restricted records are erased at most so much later than their time is over. */
const eraseMs = 60_000;

/** Does that all the time. What it needs may be away: what was missed is erased afterwards. */
export const createEraser = (deps: EraseDueDeps & { readonly logger: Logger }): Worker =>
  createPeriodicWorker({
    name: "eraser click",
    everyMs: eraseMs,
    logger: deps.logger,
    run: () => eraseUnlessAway(deps),
  });

async function eraseUnlessAway(deps: EraseDueDeps & { readonly logger: Logger }): Promise<void> {
  try {
    await eraseDue(deps);
  } catch (error) {
    if (!isOutage(error)) throw error;
    deps.logger.debug({ err: error }, "nothing is erased while the database or the templates service is away");
  }
}

async function eraseOf(deps: EraseDueDeps, orgId: OrgId, recordIds: readonly string[], now: Date): Promise<void> {
  const held = await findHeld(deps, orgId, recordIds);
  await deps.receiptKeys.signingAt(now);
  const hasErased = await withRetries(() =>
    withOrg(deps.eraserPool, orgId, (client) => eraseWithin(deps, client, { orgId, recordIds, held, now })),
  );
  if (hasErased) deps.onErased(orgId);
}

/** Records that their templates say must not be erased. */
async function findHeld(
  { pool, templates }: EraseDueDeps,
  orgId: OrgId,
  recordIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const terms = await withOrg(pool, orgId, (client) => findRecordTerms(orgId, client, recordIds));
  const current = await findCurrent(templates, orgId, terms);
  return new Set(terms.filter((one) => isHeld(one, current)).map((one) => one.recordId));
}

interface DueRecords {
  readonly orgId: OrgId;
  readonly recordIds: readonly string[];
  readonly held: ReadonlySet<string>;
  readonly now: Date;
}

async function eraseWithin(
  deps: EraseDueDeps,
  client: pg.ClientBase,
  { orgId, recordIds, held, now }: DueRecords,
): Promise<boolean> {
  const subjectIndexes = await findSubjects(orgId, client, recordIds);
  await lockPersons(orgId, client, subjectIndexes);
  await lockSessionsOf(orgId, client, recordIds);
  await lockHeads(orgId, client, subjectIndexes);
  await postponeRecords(orgId, client, [...held], { now, until: new Date(now.getTime() + heldMs) });
  const due = await listStillDue(orgId, client, recordIds, now);
  if (due.length === 0) return false;
  const erased = await eraseRecords(orgId, client, due, { subjectIndexes, now });
  if (Object.values(erased).every((ids) => ids.length === 0)) return false;
  await deleteEmptyHeads(orgId, client, subjectIndexes);
  const caller = { orgId, clientId: "", requestId: "", traceparent: "" };
  await concludeErasure(deps, client, { caller, reason: "RETENTION_OVER", now, erased, restricted: [], events: [] });
  return true;
}
