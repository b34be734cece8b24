import { createHash } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import type pg from "pg";
import { callerHeaders } from "#platform/caller.ts";
import type { Clock } from "#platform/clock.ts";
import { isLockFailure } from "#platform/db/errors.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import type { NewId, OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { SeedVault } from "#platform/vault/seed-vault.ts";
import { insertJobs } from "../jobs/job-store.ts";
import { insertActs } from "./acts.ts";
import { listKeptKinds } from "./due.ts";
import { countHolds, findHeldRecords, readActive } from "./holds.ts";
import { oldBefore, type RecordHolders, type RecordKind, readPeriods, shareRules } from "./periods.ts";

export interface RecordRemoverDeps extends RecordRemovalDeps {
  /** How many records a process looks at in a minute at most. */
  readonly perMinute: number;
  readonly logger: Logger;
  /** Called when events and jobs are waiting. */
  onDeleted(): void;
}

/** What one organization keeps of one kind. */
interface Shelf {
  readonly orgId: OrgId;
  readonly kind: RecordKind;
}

const nameOf = ({ orgId, kind }: Shelf): string => `${orgId} ${kind}`;

/** As many of one shelf before it is the next one's turn; a service takes no more at once. */
const turn = 100;

/** Has the services delete records whose time is over, as many processes as there may be. */
export function createRecordRemover(deps: RecordRemoverDeps): {
  /** Resolves with how many went. */
  run(isStopped?: () => boolean): Promise<number>;
} {
  // What was left is looked at once in a while and not each minute: a run goes on where the one before has ended.
  const places = new Map<string, string>();
  let lastServed: string | undefined;
  return {
    run: async (isStopped = () => false) => {
      let [looked, removed] = [0, 0];
      let waiting = startAfter(lastServed, await listKeptKinds(deps.removerPool));
      while (waiting.length > 0) {
        const again: Shelf[] = [];
        for (const shelf of waiting) {
          const limit = Math.min(turn, deps.perMinute - looked);
          if (limit <= 0 || isStopped()) return removed;
          const name = nameOf(shelf);
          lastServed = name;
          try {
            const batch = await removeBatch(deps, shelf.orgId, shelf.kind, { cursor: places.get(name) ?? "", limit });
            looked += batch.looked;
            removed += batch.removed;
            if (batch.removed > 0) deps.onDeleted();
            if (batch.next === undefined) places.delete(name);
            else {
              places.set(name, batch.next);
              again.push(shelf);
            }
          } catch (error) {
            // A database that was away may come back older: the next run asks first whether it did.
            if (!isLockFailure(error) && !(error instanceof ConnectError)) throw error;
            deps.logger.debug({ err: error, kind: shelf.kind }, "records are not deleted while their service is away");
          }
        }
        waiting = again;
      }
      return removed;
    },
  };
}

const startAfter = (last: string | undefined, shelves: readonly Shelf[]): readonly Shelf[] => {
  const first = last === undefined ? 0 : shelves.findIndex((one) => nameOf(one) > last);
  return first < 0 ? shelves : [...shelves.slice(first), ...shelves.slice(0, first)];
};

export interface RecordRemovalDeps {
  /** Connects as the role that may delete. */
  readonly removerPool: pg.Pool;
  /** The services that keep the records. */
  readonly records: RecordHolders;
  readonly vault: SeedVault;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Records of an organization that are about to go. It is written first, so that what ends a process leaves no act untold. */
interface Plan {
  readonly id: string;
  readonly recordIds: readonly string[];
  readonly before: Date;
  /** The holds that were looked at. */
  readonly holdIds: readonly string[];
}

export interface RemovedBatch {
  readonly looked: number;
  readonly removed: number;
  /** Where to go on; undefined when all were looked at. */
  readonly next: string | undefined;
}

/** Less than a deletion may wait for holds and periods that are changed. */
const timeoutMs = 20_000;

const callOf = (orgId: OrgId) => ({
  headers: callerHeaders({ orgId, clientId: "sign", requestId: "", traceparent: "" }),
  timeoutMs,
});

const findBefore = async (tenant: Tenant, kind: RecordKind, now: Date): Promise<Date | undefined> => {
  const period = (await readPeriods(tenant, now)).find(({ status }) => status === kind);
  return period === undefined ? undefined : oldBefore(period, now);
};

/**
 * Looks at the next records of a kind, and has their service remove those that are over and that no hold keeps. What was
 * planned before is done first.
 */
async function removeBatch(
  deps: RecordRemovalDeps,
  orgId: OrgId,
  kind: RecordKind,
  { cursor, limit }: { readonly cursor: string; readonly limit: number },
): Promise<RemovedBatch> {
  const { removerPool, vault, clock, newId } = deps;
  const undone = await carryOut(deps, orgId, kind);
  if (undone > 0) return { looked: undone, removed: undone, next: cursor };
  const { before, active } = await withOrg(removerPool, orgId, async (tenant) => ({
    before: await findBefore(tenant, kind, clock.now()),
    active: await readActive(tenant),
  }));
  if (before === undefined || active.organization) return { looked: 1, removed: 0, next: undefined };
  const { records, nextCursor } = await deps.records[kind].listOld(
    { before: timestampFromDate(before), limit, cursor, withAddresses: active.persons.size > 0 },
    callOf(orgId),
  );
  const next = nextCursor === "" ? undefined : nextCursor;
  const isPlanned = await withOrg(removerPool, orgId, async (tenant) => {
    const held = await findHeldRecords(tenant, vault, active, records);
    const recordIds = records.flatMap(({ id }) => (held.has(id) ? [] : id));
    if (recordIds.length === 0) return false;
    await insertPlan(tenant, kind, { id: newId(), recordIds, before, holdIds: active.ids }, clock.now());
    return true;
  });
  const looked = next === undefined ? 1 + records.length : limit;
  return { looked, removed: isPlanned ? await carryOut(deps, orgId, kind) : 0, next };
}

/**
 * Removes what was planned, unless there is another hold or a longer period by now, and tells of it. When it fails it is
 * done again: what is gone by then is told of as well.
 */
const carryOut = (deps: RecordRemovalDeps, orgId: OrgId, kind: RecordKind): Promise<number> =>
  withOrg(deps.removerPool, orgId, async (tenant) => {
    // Holds and longer periods that were answered before are seen, and others wait.
    await shareRules(tenant);
    const plan = await lockPlan(tenant, kind);
    if (plan === undefined) return 0;
    const now = deps.clock.now();
    const holdMark = await countHolds(tenant);
    const [before, active] = [await findBefore(tenant, kind, now), await readActive(tenant)];
    const onlyLook =
      before === undefined || plan.before > before || active.ids.some((hold) => !plan.holdIds.includes(hold));
    const { keptIds } = await deps.records[kind].removeOld(
      { ids: [...plan.recordIds], before: timestampFromDate(plan.before), onlyLook, holdMark },
      callOf(orgId),
    );
    const kept = new Set(keptIds);
    const gone = plan.recordIds.filter((id) => !kept.has(id));
    const count = gone.length;
    if (count > 0) {
      const details = { kind, count, before: plan.before.toISOString(), sha256: hashOf(gone).toString("hex") };
      await insertActs(tenant, [
        { id: deps.newId(), at: now, action: "records.deleted", actor: "", subjectId: plan.id, details, requestId: "" },
      ]);
      // The click service enters a leaf itself for the acceptances that it erases.
      if (kind !== "acceptances") {
        const caller = { orgId, requestId: "", traceparent: "" };
        await insertJobs(tenant, { caller, agreementId: null, newId: deps.newId, now }, [
          { kind: "deletion", key: plan.id, runAt: now, payload: {} },
        ]);
      }
    }
    const sql = "delete from sign.record_removal where organization_id = $1 and kind = $2";
    await tenant.client.query(sql, [orgId, kind]);
    return count;
  });

/** Of the ids of what was deleted, in their order and a line each: whoever has kept them can compute it. */
const hashOf = (ids: readonly string[]): Buffer =>
  createHash("sha256")
    .update(
      ids
        .toSorted()
        .map((id) => `${id}\n`)
        .join(""),
    )
    .digest();

/** Another process may have one: that is carried out first. */
async function insertPlan(
  { orgId, client }: Tenant,
  kind: RecordKind,
  { id, recordIds, before, holdIds }: Plan,
  now: Date,
): Promise<void> {
  await client.query(
    `insert into sign.record_removal (organization_id, kind, id, record_ids, before, hold_ids, planned_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (organization_id, kind) do nothing`,
    [orgId, kind, id, recordIds, before, holdIds, now],
  );
}

async function lockPlan({ orgId, client }: Tenant, kind: RecordKind): Promise<Plan | undefined> {
  const { rows } = await client.query<Plan>(
    `select id, record_ids as "recordIds", before, hold_ids as "holdIds" from sign.record_removal
     where organization_id = $1 and kind = $2 for update skip locked`,
    [orgId, kind],
  );
  return rows[0];
}
