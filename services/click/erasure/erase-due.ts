import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import { isOutage } from "#platform/outage.ts";
import { createPeriodicWorker, type Worker } from "#platform/periodic.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import { countEpochs } from "../log/epoch-store.ts";
import type { LogGuard } from "../log/epochs.ts";
import { type ConclusionDeps, concludeErasure } from "./conclude-erasure.ts";
import { findCurrent, isHeld, type RulesDeps } from "./erasure-rules.ts";
import { deleteEmptyHeads, eraseRecords, findDueRecords, listStillDue, postponeRecords } from "./erasure-store.ts";
import { findRecordTerms, findSubjects, lockHeads, lockPersons, lockSessionsOf } from "./person-store.ts";
import { withRetries } from "./plan-erasure.ts";
import type { Holder, Setbacks } from "./setbacks.ts";

export interface EraseDueDeps extends RulesDeps, ConclusionDeps {
  readonly logGuard: LogGuard;
  readonly setbacks: Setbacks;
  /** Connects as the role that reads the logs of all organizations. */
  readonly integratorPool: pg.Pool;
  /** Connects as the eraser. */
  readonly eraserPool: pg.Pool;
  readonly receiptKeys: Pick<SigningKeys, "signingAt">;
  readonly clock: Clock;
  /** Called after each commit that erased records of an organization. */
  onErased(organizationId: string): void;
}

/** Small enough that locking the persons does not block others for long. */
const batchSize = 200;

/** How long to wait before looking again at records on hold. */
const heldMs = 24 * 60 * 60 * 1000;

/**
 * Erases restricted records whose retention has ended. Records of one organization that are found together
 * share one leaf. Concurrent processes are safe.
 */
export async function eraseDue(deps: EraseDueDeps): Promise<void> {
  if (!(await mayEraseByTime(deps))) return;
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

/**
 * Whether what is over by its time alone may go. A database that went back has forgotten holds and longer times that were
 * set since: nothing goes before it was compared with what the logs have signed and with what the stream of events has, nor
 * before an operator has confirmed that it went back. The same is true of the databases of other services that have holds.
 */
export const mayEraseByTime = async (
  { logGuard, integratorPool, setbacks }: Pick<EraseDueDeps, "logGuard" | "integratorPool" | "setbacks">,
  holders: readonly Holder[] = ["click", "templates"],
): Promise<boolean> =>
  (await logGuard.isCurrent()) &&
  (await countEpochs(integratorPool)).unconfirmed === 0 &&
  (await setbacks.areConfirmed(holders));

/** The longest delay between the end of retention and the erasure. */
const eraseMs = 60_000;

/** Runs this periodically. After an outage it catches up. */
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
    withOrg(deps.eraserPool, orgId, (tenant) => eraseWithin(deps, tenant, { orgId, recordIds, held, now })),
  );
  if (hasErased) deps.onErased(orgId);
}

/** Records under the legal hold of their templates. */
async function findHeld(
  { pool, templates }: EraseDueDeps,
  orgId: OrgId,
  recordIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const terms = await withOrg(pool, orgId, (tenant) => findRecordTerms(tenant, recordIds));
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
  tenant: Tenant,
  { orgId, recordIds, held, now }: DueRecords,
): Promise<boolean> {
  const subjectIndexes = await findSubjects(tenant, recordIds);
  await lockPersons(tenant, subjectIndexes);
  await lockSessionsOf(tenant, recordIds);
  await lockHeads(tenant, subjectIndexes);
  await postponeRecords(tenant, [...held], { now, until: new Date(now.getTime() + heldMs) });
  const due = await listStillDue(tenant, recordIds, now);
  if (due.length === 0) return false;
  const erased = await eraseRecords(tenant, due, { subjectIndexes, now });
  if (Object.values(erased).every((ids) => ids.length === 0)) return false;
  await deleteEmptyHeads(tenant, subjectIndexes);
  const caller = { orgId, clientId: "", requestId: "", traceparent: "" };
  await concludeErasure(deps, tenant, { caller, reason: "RETENTION_OVER", now, erased, restricted: [], events: [] });
  return true;
}
