import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type pg from "pg";
import type { RetentionService } from "#gen/assent/privacy/v1/retention_pb.ts";
import { type Caller, requireCaller } from "./caller.ts";
import { identifier } from "./db/ddl.ts";
import { noteHolds } from "./db/hold-marks.ts";
import { createPool, type PoolOptions, type Tenant, withOrg } from "./db/pool.ts";
import type { OrgId } from "./ids.ts";
import { addressesIn } from "./mail/mail.ts";

/** What of a service's schema goes with an organization. Pools connect as the destroyer of the service (destroyerSql). */
export interface Destroyable {
  readonly pool: pg.Pool;
  readonly schema: string;
  readonly leaveOut?: readonly string[];
  /** Goes before everything else, in one transaction: what would be taken for damaged without the rest. */
  readonly together?: readonly string[];
  /** Finds a row when a legal hold keeps anything of the organization ($1); none does when absent. */
  readonly held?: { readonly pool: pg.Pool; readonly sql: string };
}

/** How much one transaction removes, and for how long one call goes on with further ones. */
const rowsAtOnce = 1_000;
const callMs = 5_000;

/** Connects only while an organization is deleted. Counting reads all that there is of it. */
export const createDestroyerPool = (options: Pick<PoolOptions, "url" | "role" | "name">): pg.Pool =>
  createPool({ ...options, max: 1, statementTimeoutMs: 40_000 });

/** How many rows the organization has, by table; those without any are left out. */
export async function countRows({ pool, ...what }: Destroyable, orgId: OrgId): Promise<Record<string, number>> {
  return withOrg(pool, orgId, async (tenant) => {
    const counts: Record<string, number> = {};
    for (const table of await listTables(tenant, what)) {
      const { text, values } = rowsOf(tenant, what.schema, table);
      const { rows } = await tenant.client.query<{ n: string }>(`select count(*) as n from ${text}`, values);
      if (Number(rows[0]?.n) > 0) counts[table] = Number(rows[0]?.n);
    }
    return counts;
  });
}

/** Destroys rows of the organization in small transactions; false when none are left. Nothing happens twice. */
export async function destroyRows(what: Destroyable, orgId: OrgId): Promise<boolean> {
  const { pool, together = [] } = what;
  const startedAt = performance.now();
  await withOrg(pool, orgId, async (tenant) => {
    for (const table of together) await remove(tenant, what.schema, table);
  });
  const tables = await withOrg(pool, orgId, (tenant) => listTables(tenant, what));
  for (const table of tables) {
    for (;;) {
      const removed = await withOrg(pool, orgId, (tenant) => remove(tenant, what.schema, table));
      if (performance.now() - startedAt > callMs) return true;
      if (removed < rowsAtOnce) break;
    }
  }
  return false;
}

async function remove(tenant: Tenant, schema: string, table: string): Promise<number> {
  const { text, values } = rowsOf(tenant, schema, table);
  const sql = `delete from ${nameOf(schema, table)} where ctid = any(array(select ctid from ${text} limit ${rowsAtOnce}))`;
  return (await tenant.client.query(sql, values)).rowCount ?? 0;
}

const nameOf = (schema: string, table: string): string => `${identifier(schema)}.${identifier(table)}`;

/** Events that died tell of their organization in their text alone. */
const deadEvents = "dead_event";
const rowsOf = ({ orgId }: Tenant, schema: string, table: string): { text: string; values: string[] } =>
  table === deadEvents
    ? { text: `${nameOf(schema, table)} where strpos(data, $1) > 0`, values: [orgId] }
    : { text: `${nameOf(schema, table)} where organization_id = $1`, values: [orgId] };

/** Those that refer to others come before them. A table that the role may not destroy makes the whole fail. */
async function listTables({ client }: Tenant, what: Pick<Destroyable, "schema" | "leaveOut">): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `with recursive named as (
       select c.oid, c.relname from pg_class c
       where c.relnamespace = $1::text::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and c.relname <> all($2::text[])
         and (c.relname = $3 or exists (
           select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id'))
     ), deep (oid, depth) as (
       select oid, 0 from named
       union
       select r.confrelid, d.depth + 1 from deep d
       join pg_constraint r on r.conrelid = d.oid and r.contype = 'f' and r.confrelid <> r.conrelid
       where d.depth < 20
     )
     select n.relname as name from named n join deep d on d.oid = n.oid
     group by n.relname order by max(d.depth), n.relname collate "C"`,
    [what.schema, what.leaveOut ?? [], deadEvents],
  );
  return rows.map(({ name }) => name);
}

/** What the auth service asks each service when an organization is deleted. */
export const destruction = (what: Destroyable) => ({
  async findHold(_request: object, context: HandlerContext) {
    const { orgId } = requireCaller(context);
    const { held } = what;
    if (held === undefined) return { isHeld: false };
    return withOrg(held.pool, orgId, async ({ client }) => ({
      isHeld: (await client.query(held.sql, [orgId])).rows.length > 0,
    }));
  },
  async countRecords(_request: object, context: HandlerContext) {
    const counts = await countRows(what, requireCaller(context).orgId);
    return { tables: Object.entries(counts).map(([table, rows]) => ({ table, rows: BigInt(rows) })) };
  },
  async destroyRecords(_request: object, context: HandlerContext) {
    return { isMore: await destroyRows(what, requireCaller(context).orgId) };
  },
});

/** A record whose time is over. */
export interface OldRecord {
  readonly id: string;
  /** All that may name somebody; null when it was not asked for. */
  readonly text: string | null;
  readonly agreementId?: string | null;
}

export interface OldWindow {
  readonly before: Date;
  /** Where the window before ended; empty at first. */
  readonly after: string;
  readonly limit: number;
  readonly withText: boolean;
}

/** What a service keeps until the period of an organization is over. */
export interface OldRecords {
  count(tenant: Tenant, before: Date): Promise<number>;
  /** The next ones, oldest first. */
  window(tenant: Tenant, window: OldWindow): Promise<readonly OldRecord[]>;
  /** What `window` goes on behind. */
  placeOf(record: OldRecord): string;
  /** Removes those that are still older, unless there are holds that the mark does not count (`shareHolds`). */
  remove(caller: Caller, ids: readonly string[], before: Date, holdMark: number): Promise<void>;
  present(tenant: Tenant, ids: readonly string[]): Promise<readonly string[]>;
}

// The schema demands it.
const dateOf = (time: Timestamp | undefined): Date => (time === undefined ? new Date(0) : timestampDate(time));

/** What the sign service tells every service that deletes, when there is another hold. */
export const holdNotes = (pool: pg.Pool, schema: string): Pick<ServiceImpl<typeof RetentionService>, "noteHolds"> => ({
  async noteHolds({ mark }, context) {
    const { orgId } = requireCaller(context);
    await noteHolds((work) => withOrg(pool, orgId, work), schema, mark, context.signal);
    return {};
  },
});

export const retentionOf = (
  pool: pg.Pool,
  schema: string,
  records: OldRecords,
): ServiceImpl<typeof RetentionService> => ({
  ...holdNotes(pool, schema),
  async countOld({ before }, context) {
    const { orgId } = requireCaller(context);
    return { records: await withOrg(pool, orgId, (tenant) => records.count(tenant, dateOf(before))) };
  },
  async listOld({ before, limit, cursor, withAddresses }, context) {
    const { orgId } = requireCaller(context);
    const page = { before: dateOf(before), after: cursor, limit, withText: withAddresses };
    const found = await withOrg(pool, orgId, (tenant) => records.window(tenant, page));
    const last = found.length === limit ? found.at(-1) : undefined;
    return {
      records: found.map(({ id, text, agreementId }) => ({
        ...{ id, agreementId: agreementId ?? "", addresses: text === null ? [] : addressesIn(text) },
      })),
      nextCursor: last === undefined ? "" : records.placeOf(last),
    };
  },
  async removeOld({ ids, before, onlyLook, holdMark }, context) {
    const caller = requireCaller(context);
    const wanted = ids.map((id) => id.toLowerCase());
    if (!onlyLook) await records.remove(caller, wanted, dateOf(before), holdMark);
    const keptIds = await withOrg(pool, caller.orgId, (tenant) => records.present(tenant, wanted));
    return { keptIds: [...keptIds] };
  },
});
