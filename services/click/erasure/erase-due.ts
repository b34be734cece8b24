import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { isOutage } from "#platform/outage.ts";
import { askRelay, identityOf, numberOf, readState, setbackOf } from "#platform/outbox/epochs.ts";
import { createPeriodicWorker, type Worker } from "#platform/periodic.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import { countEpochs } from "../log/epoch-store.ts";
import type { LogGuard } from "../log/epochs.ts";
import { type ConclusionDeps, concludeErasure } from "./conclude-erasure.ts";
import { findCurrent, isHeld, type RulesDeps, withRetries } from "./erasure-rules.ts";
import { deleteEmptyHeads, eraseRecords, findDueRecords, listStillDue, postponeRecords } from "./erasure-store.ts";
import { findRecordTerms, findSubjects, lockHeads, lockPersons, lockSessionsOf } from "./person-store.ts";

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

/** Those in whose databases holds and periods are. */
export type Holder = "click" | "templates" | "sign";

/** The last time that the database of a service, or NATS, went back in time. */
export interface Setback {
  readonly service: string;
  /** Of its events, which began then. */
  readonly epoch: string;
  readonly foundAt: Date;
  /** Null until an operator has confirmed it. */
  readonly confirmedAt: Date | null;
  readonly confirmedBy: string | null;
}

/**
 * Whether databases went back in time, by what the stream of events knows: also where no log lacks anything, where there is no
 * witness, and on servers that only one service has. A database of before may have forgotten holds and longer periods.
 */
export interface Setbacks {
  /**
   * Whether nothing speaks against deleting what these decide about: each has compared its database with the stream within
   * the last half minute, and an operator has confirmed whatever was found. False while one of them does not answer. Rejects
   * while the click service's own database is away.
   */
  areConfirmed(holders: readonly Holder[]): Promise<boolean>;
  /** Looks before it answers, for as long as it may take. */
  list(): Promise<Setback[]>;
  /** Resolves with how many of those that were found nobody had confirmed. */
  confirm(operator: string): Promise<number>;
}

export interface SetbacksDeps {
  readonly bus: Pick<EventBus, "newestMark" | "nudge">;
  /** Connects as the relay. */
  readonly relayPool: pg.Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const schema = "click";
const holders: readonly Holder[] = ["click", "templates", "sign"];
const askMs = 2_000;
/** How long a good answer holds. */
const freshMs = 30_000;

/** As a row of relay_state has it: epochs. */
interface Noted {
  readonly found: string;
  readonly foundAt: string;
  readonly confirmed?: string;
  readonly confirmedAt?: string;
  readonly confirmedBy?: string;
}

const rowOf = (service: string): string => `setback ${service}`;

export function createSetbacks(deps: SetbacksDeps): Setbacks {
  const { bus, relayPool, clock, logger, metrics } = deps;
  const goodSince = new Map<Holder, number>();
  const asking = new Map<Holder, Promise<boolean>>();
  const told = new Set<string>();

  /** The epoch of the last setback; "none" before there was any event, undefined while nobody can tell. */
  const findLast = async (holder: Holder): Promise<string | undefined> => {
    if (bus.newestMark !== undefined && bus.nudge !== undefined) {
      const { newestMark, nudge } = bus;
      const mark = await askRelay({ newestMark, nudge }, holder, askMs).catch((error: unknown) => {
        logger.debug({ err: error, holder }, "nothing is deleted for its time while NATS is away");
        return undefined;
      });
      return mark && setbackOf(mark.epoch);
    }
    // Everything is in one process and in one database, whose relay looks at it when it starts.
    const [epoch, known] = await Promise.all([
      readState(relayPool, schema, "epoch"),
      readState(relayPool, schema, "database"),
    ]);
    if (epoch === undefined) return "none";
    const identity = await identityOf(relayPool);
    const isSame = known === undefined || known === "" || identity === "" || known === identity;
    return isSame ? setbackOf(epoch) : undefined;
  };
  const note = async (holder: Holder, epoch: string): Promise<boolean> => {
    const noted = await readState(relayPool, schema, rowOf(holder));
    const known: Partial<Noted> = noted === undefined ? {} : JSON.parse(noted);
    if (known.found === epoch) return known.confirmed === epoch;
    const found: Noted = { found: epoch, foundAt: clock.now().toISOString() };
    // The first epoch of a database that nothing else is known of follows no setback.
    const isFirst = noted === undefined && numberOf(epoch) === 1;
    await relayPool.query(
      `insert into click.relay_state as s (name, store_id) values ($1, $2)
       on conflict (name) do update set store_id = (s.store_id::jsonb || $3::jsonb)::text`,
      [rowOf(holder), JSON.stringify(isFirst ? { ...found, confirmed: epoch } : found), JSON.stringify(found)],
    );
    return isFirst || known.confirmed === epoch;
  };
  const ask = async (holder: Holder): Promise<boolean> => {
    const epoch = await findLast(holder);
    if (epoch === undefined) return false;
    const isConfirmed = epoch === "none" || (await note(holder, epoch));
    metrics.setbackUnconfirmed.set({ service: holder }, isConfirmed ? 0 : 1);
    if (isConfirmed) goodSince.set(holder, performance.now());
    else if (!told.has(epoch)) {
      told.add(epoch);
      logger.warn(
        { holder, epoch },
        "a database or NATS went back in time: nothing is deleted for its time until an operator confirms that (docs/operations.md, EventsBeganAnew)",
      );
    }
    return isConfirmed;
  };
  const askOnce = (holder: Holder): Promise<boolean> => {
    const running = asking.get(holder) ?? ask(holder).finally(() => asking.delete(holder));
    asking.set(holder, running);
    return running;
  };
  const known = bus.newestMark === undefined ? (["click"] as const) : holders;
  const look = () => Promise.all(known.map(askOnce));
  return {
    areConfirmed: async (wanted) => {
      const isGood = (holder: Holder) => performance.now() - (goodSince.get(holder) ?? -Infinity) < freshMs;
      const open = known.filter((holder) => wanted.includes(holder) && !isGood(holder));
      return (await Promise.all(open.map(askOnce))).every(Boolean);
    },
    list: async () => {
      await look();
      const { rows } = await relayPool.query<{ name: string; value: string }>(
        `select name, store_id as value from click.relay_state where name = any($1) order by name`,
        [holders.map(rowOf)],
      );
      return rows.map(({ name, value }) => setbackOfRow(name, JSON.parse(value))).filter(isWorthTelling);
    },
    confirm: async (operator) => {
      await look();
      goodSince.clear();
      const { rowCount } = await relayPool.query(
        `update click.relay_state set store_id = (store_id::jsonb ||
           jsonb_build_object('confirmed', store_id::jsonb ->> 'found', 'confirmedAt', $2::text, 'confirmedBy', $3::text))::text
         where name = any($1) and store_id::jsonb ->> 'found' is distinct from store_id::jsonb ->> 'confirmed'`,
        [holders.map(rowOf), clock.now().toISOString(), operator],
      );
      return rowCount ?? 0;
    },
  };
}

const setbackOfRow = (name: string, { found, foundAt, confirmed, confirmedAt, confirmedBy }: Noted): Setback => {
  const isConfirmed = confirmed === found;
  return {
    ...{ service: name.slice(rowOf("").length), epoch: found, foundAt: new Date(foundAt) },
    confirmedAt: isConfirmed ? new Date(confirmedAt ?? foundAt) : null,
    confirmedBy: isConfirmed ? (confirmedBy ?? null) : null,
  };
};

/** First epochs that nobody had to confirm tell nothing. */
const isWorthTelling = ({ confirmedAt, confirmedBy }: Setback): boolean => confirmedAt === null || confirmedBy !== null;
