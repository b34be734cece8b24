import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { runLoad } from "../load/run-load.ts";
import type { Figure } from "../report.ts";
import type { BenchSystem } from "../system.ts";
import { acceptPlan } from "./accept-plan.ts";

type Copy = Pick<BenchSystem, "demo" | "accessToken" | "superuserUrl">;

/** P17: what an acceptance adds to the tables and indexes that keep it. */
export async function byteMeasures(system: BenchSystem): Promise<Figure[]> {
  const { kept, passing, largest } = await acceptanceBytes(system, "bytes");
  const base = { id: "P17", mode: "distributed", unit: "bytes" };
  return [
    { ...base, what: "kept for an acceptance, indexes included", value: kept, goal: "≤ 2,500", note: largest },
    { ...base, what: "kept for an acceptance for a while", value: passing, goal: "", note: passingTables.join(", ") },
  ];
}

/** Rows in these go after days at most. */
const passingTables = ["outbox", "inbox", "rate_window"] as const;

export interface AcceptanceBytes {
  readonly kept: number;
  readonly passing: number;
  /** The tables that grow most, in words. */
  readonly largest: string;
}

/** Enough that what tables grow by at a time does not count. */
const enough = 10_000;
const loadSeconds = 5;

export async function acceptanceBytes(system: Copy, name: string): Promise<AcceptanceBytes> {
  const client = new pg.Client({ connectionString: system.superuserUrl });
  await client.connect();
  try {
    const before = await quietSizes(client);
    let acceptances = 0;
    for (let n = 0; acceptances < enough; n += 1) {
      const plan = acceptPlan(system, `bytes-${name}-${n}`, { warmupSeconds: 0, seconds: loadSeconds });
      acceptances += (await runLoad({ ...plan, firstNumber: acceptances }, [201])).requests;
    }
    const grown = [...(await quietSizes(client))]
      .map(([table, bytes]) => ({ table, bytes: (bytes - (before.get(table) ?? 0)) / acceptances }))
      .sort((one, other) => other.bytes - one.bytes);
    const isPassing = (table: string): boolean => passingTables.some((each) => table.endsWith(`.${each}`));
    const sum = (of: typeof grown): number => of.reduce((total, { bytes }) => total + bytes, 0);
    const kept = grown.filter(({ table }) => !isPassing(table));
    return {
      kept: sum(kept),
      passing: sum(grown.filter(({ table }) => isPassing(table))),
      largest: kept
        .slice(0, 6)
        .map(({ table, bytes }) => `${table} ${bytes.toFixed(0)}`)
        .join(", "),
    };
  } finally {
    await client.end();
  }
}

const quietMs = 3_000;
const patienceMs = 3 * 60_000;

/** What follows acceptances (statistics, trees) is over when nothing has grown for some seconds. */
async function quietSizes(client: pg.Client): Promise<Map<string, number>> {
  const deadline = performance.now() + patienceMs;
  let sizes = await sizesOf(client);
  while (performance.now() < deadline) {
    await delay(quietMs);
    const now = await sizesOf(client);
    const isQuiet = [...now].every(([table, bytes]) => bytes === sizes.get(table));
    sizes = now;
    if (isQuiet) return sizes;
  }
  throw new Error("the database does not stop growing");
}

/** Tables with their indexes and TOAST. */
async function sizesOf(client: pg.Client): Promise<Map<string, number>> {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `select n.nspname || '.' || c.relname as name, pg_total_relation_size(c.oid) as bytes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname !~ '^(pg_|information_schema)'`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}
