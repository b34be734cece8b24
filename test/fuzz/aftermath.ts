import type pg from "pg";
import { until } from "#platform/testing/until.ts";
import { checkLogs } from "../chaos/accept-history/check-logs.ts";
import { observeLog } from "../chaos/accept-history/observe-logs.ts";
import type { Api } from "../support/api.ts";

/** The rows of an organization in every table that has some, by hash. */
export type Snapshot = Readonly<Record<string, string>>;

/** What the installation notes by itself as time goes by: counters of requests, where a log is anchored, what waits. */
const passing =
  /^gateway\.|^click\.(anchor|log_tree|outbox)$|^sign\.(job|outbox)$|^webhooks\.queue$|^auth\.request_day$/;
const passingColumn = "last_used_at";

/** Everything that is stored for an organization, once nothing is under way for it any more. */
export async function settledSnapshot(pool: pg.Pool, organizationId: string): Promise<Snapshot> {
  const integrated = async (): Promise<boolean> => {
    const { rows } = await pool.query<{ isBehind: boolean }>(
      `select h.size > coalesce((select max(size) from click.log_checkpoint c where c.organization_id = h.organization_id), 0)
         as "isBehind" from click.log_head h where organization_id = $1`,
      [organizationId],
    );
    return rows.every(({ isBehind }) => !isBehind);
  };
  await until(integrated, 60_000);
  let before = await snapshotOf(pool, organizationId);
  let equalReads = 0;
  // Statistics follow the events by themselves.
  return until(async () => {
    const now = await snapshotOf(pool, organizationId);
    equalReads = differences(before, now).length === 0 ? equalReads + 1 : 0;
    before = now;
    return equalReads >= 30 && now;
  }, 60_000);
}

async function snapshotOf(pool: pg.Pool, organizationId: string): Promise<Snapshot> {
  const { rows } = await pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where column_name = 'organization_id' and table_type = 'BASE TABLE' order by 1`,
  );
  const hashes = rows
    .filter(({ name }) => !passing.test(name))
    .map(async ({ name }) => {
      const { rows: found } = await pool.query<{ hash: string }>(
        `select count(*) || ' ' || md5(coalesce(string_agg(row, e'\\n' order by row), '')) as hash
         from (select (to_jsonb(t) - '${passingColumn}')::text as row from ${name} t where organization_id::text = $1) as rows`,
        [organizationId],
      );
      return [name, found[0]?.hash ?? ""] as const;
    });
  return Object.fromEntries(await Promise.all(hashes));
}

/** The tables in which two snapshots differ. */
export const differences = (a: Snapshot, b: Snapshot): string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => a[name] !== b[name]);

/** What is wrong with the log of an organization, and how many records it has. */
export async function logProblems(pool: pg.Pool, api: Api): Promise<{ problems: string[]; size: number }> {
  const view = await observeLog(pool, { api, organizationId: api.organizationId }, []);
  const problems = checkLogs([view]).map(({ rule, detail }) => `${rule}: ${detail}`);
  return { problems, size: view.size };
}

/** How many records an organization has that must each have a leaf. */
export async function countRecords(pool: pg.Pool, organizationId: string): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    "select count(*) from click.acceptance where organization_id = $1",
    [organizationId],
  );
  return Number(rows[0]?.count ?? 0);
}
