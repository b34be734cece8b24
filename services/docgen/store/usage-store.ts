import type pg from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import {
  type PlanLimits,
  type RateState,
  rateNow,
  rateOf,
  type UsedNow,
  type WindowName,
  windowSeconds,
  windowStart,
} from "../domain/usage.ts";

export type { RateState } from "../domain/usage.ts";

/** The windows that slots were taken from: where to give them back. */
export interface Slots {
  readonly hourStart: Date;
  /** Absent for a batch. */
  readonly minuteStart?: Date;
}

/** The state of the window that was used up; of the hour when both were. */
export type Refusal = RateState;

export type Taken =
  | { readonly granted: true; readonly slots: Slots; readonly rate: RateState }
  | { readonly granted: false; readonly refusal: Refusal };

/**
 * Takes one slot of each of these windows, or of none. The windows stay locked until the end of the transaction, so
 * however many ask at the same time, no window gives more than the plan has. It takes first and looks then: what was too
 * much is given back before anybody else can see it.
 *
 * `now` is for tests; without it the clock of the database decides, which is one for all processes.
 */
export async function takeSlots(
  tenant: Tenant,
  plan: PlanLimits,
  windows: readonly WindowName[],
  now?: Date,
): Promise<Taken> {
  const usedNow = await addToWindowsNow(tenant, windows, now);
  const slots: Slots = {
    hourStart: windowStart("hour", usedNow.now),
    ...(windows.includes("minute") ? { minuteStart: windowStart("minute", usedNow.now) } : {}),
  };
  // The hour comes first: it is what a caller has to wait for when both have nothing left.
  const refusing = windowNames.find((name) => windows.includes(name) && usedNow.used[name] > plan[name]);
  if (refusing === undefined) return { granted: true, slots, rate: rateNow(plan, usedNow) };
  await addToWindows(tenant, slots, -1);
  return { granted: false, refusal: rateOf(refusing, plan, usedNow) };
}

/** The refusal that takeSlots would give now; undefined when every window has a slot left. */
export async function readRefusal(
  tenant: Tenant,
  plan: PlanLimits,
  windows: readonly WindowName[],
): Promise<Refusal | undefined> {
  const usedNow = await readUsed(tenant);
  const refusing = windowNames.find((name) => windows.includes(name) && usedNow.used[name] >= plan[name]);
  return refusing && rateOf(refusing, plan, usedNow);
}

/** Returns slots that were taken. The caller makes sure that this happens once. */
export async function returnSlots(tenant: Tenant, slots: Slots): Promise<void> {
  // In the order in which they are taken, to avoid deadlocks.
  await tenant.client.query(
    `select from docgen.usage_window where organization_id = $1 and (seconds, window_start) in (select * from ${slotRows})
     order by seconds desc for update`,
    [tenant.orgId, ...slotValues(slots)],
  );
  await addToWindows(tenant, slots, -1);
}

/** The state of the plan, without taking a slot. */
export async function readUsage(tenant: Tenant, plan: PlanLimits, now?: Date): Promise<RateState> {
  return rateNow(plan, await readUsed(tenant, now));
}

/** What is used in the windows that hold now. */
export async function readUsed({ orgId, client }: Tenant, now?: Date): Promise<UsedNow> {
  const { rows } = await client.query<UsedRow>(
    `select t.now, coalesce(w.used, 0) as used from (${windowsSql("$2")}) t
     left join docgen.usage_window w
       on w.organization_id = $1 and w.seconds = t.seconds and w.window_start = t.window_start
     order by t.seconds desc`,
    [orgId, now],
  );
  return usedNowOf(rows);
}

const windowNames: readonly WindowName[] = ["hour", "minute"];

/**
 * Adds a slot to each of the current windows, creating and locking both: first the hour, then the minute. Returns their
 * usage including it.
 */
async function addToWindowsNow(
  { orgId, client }: Tenant,
  windows: readonly WindowName[],
  now: Date | undefined,
): Promise<UsedNow> {
  const seconds = windows.map((name) => windowSeconds[name]);
  const { rows } = await client.query<UsedRow>({
    name: "docgen-take-slots",
    text: takeSql(),
    values: [orgId, now, seconds],
  });
  return usedNowOf(rows);
}

const takeSql = (): string => `with t as materialized (${windowsSql("$2")}),
  taken as (
    insert into docgen.usage_window as w (organization_id, seconds, window_start, used)
    select $1, seconds, window_start, (seconds = any($3::integer[]))::integer from t order by seconds desc
    on conflict (organization_id, seconds, window_start) do update set used = w.used + excluded.used
    returning w.seconds, w.used
  )
  select t.now, taken.used from t join taken on taken.seconds = t.seconds order by t.seconds desc`;

interface UsedRow {
  readonly now: Date;
  readonly used: number;
}

/** The rows of the hour and of the minute, in this order. */
function usedNowOf([hour, minute]: readonly UsedRow[]): UsedNow {
  if (hour === undefined || minute === undefined) throw new Error("a window of the plan is missing");
  return { now: hour.now, used: { hour: hour.used, minute: minute.used } };
}

/** The windows of this time, or by the clock of the database when it is null. */
const windowsSql = (now: string): string =>
  `select c.now, s.seconds, date_bin(s.seconds * interval '1 second', c.now, 'epoch'::timestamptz) as window_start
   from (select date_trunc('milliseconds', coalesce(${now}::timestamptz, clock_timestamp())) as now offset 0) c
   cross join (values (${windowSeconds.hour}), (${windowSeconds.minute})) as s (seconds)`;

async function addToWindows({ orgId, client }: Tenant, slots: Slots, change: 1 | -1): Promise<void> {
  await client.query(
    `update docgen.usage_window set used = greatest(used + $4, 0)
     where organization_id = $1 and (seconds, window_start) in (select * from ${slotRows})`,
    [orgId, ...slotValues(slots), change],
  );
}

const slotRows = `unnest(array[${windowSeconds.hour}, ${windowSeconds.minute}], array[$2, $3]::timestamptz[])`;

const slotValues = ({ hourStart, minuteStart }: Slots): [Date, Date | null] => [hourStart, minuteStart ?? null];

/**
 * Runs as the role that sees the windows of all organizations, but not their usage. A slot may be returned to its
 * window for as long as its document waits; after two hours nobody counts in that window any more, and returning it
 * changes nothing.
 */
export async function deleteOldWindows(claimer: pg.Pool): Promise<number> {
  const { rowCount } = await claimer.query(
    `delete from docgen.usage_window where (organization_id, seconds, window_start) in (
       select organization_id, seconds, window_start from docgen.usage_window
       where window_start < now() - interval '2 hours' limit 10000
     )`,
  );
  return rowCount ?? 0;
}
