import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Demo } from "../../dev/demo.ts";
import { type Connection, connect } from "../load/connection.ts";
import type { LoadPlan } from "../load/plan.ts";
import { buildRequest } from "../load/request.ts";
import type { BenchOptions } from "../options.ts";
import { type Figure, median } from "../report.ts";
import { singleProcessCopy } from "../single-process.ts";
import { findTemplate } from "./template-read.ts";

/** What follows a request is over, and the budget of an organization lasts. */
const pauseMs = 50;
const settleMs = 5_000;
const quietMs = 20_000;

/**
 * P16: how long a lone request takes, one at a time over one connection, the kinds in turn; and how often a copy that
 * nobody asks for anything asks its database.
 */
export async function idleMeasures(options: BenchOptions): Promise<Figure[]> {
  const copy = singleProcessCopy();
  try {
    const { demo } = await copy.start();
    const transactions = await transactionsWhenIdle(copy.folder);
    const requests = await loneRequests(demo);
    // The first ones load and compile.
    await requests.measure(options.seconds);
    const found = await requests.measure(options.seconds * 3);
    const base = { id: "P16", mode: "single process" };
    const p50 = (what: string): number => found[what]?.p50 ?? Number.NaN;
    const baseline = p50(healthz);
    return [
      ...Object.entries(goals).map(([what, goal]) => ({
        ...{ ...base, what: `p50 of a lone ${what}`, value: p50(what), unit: "ms", goal },
        ...{ baseline, ratio: p50(what) / baseline, note: "one connection; baseline: /healthz" },
      })),
      { ...base, what: "transactions when nothing happens", value: transactions, unit: "/s", goal: "≤ 10/s" },
    ];
  } finally {
    await copy.stop();
    copy.remove();
  }
}

const healthz = "/healthz";
const goals = { accept: "≤ 2.5 ms", "template GET": "≤ 1.5 ms", "new session": "≤ 3 ms" } as const;

export interface LoneRequests {
  /** Milliseconds by kind: the median, and what a tenth took at most, which says more where others use the machine too. */
  measure(seconds: number): Promise<Readonly<Record<string, { readonly p50: number; readonly p10: number }>>>;
}

/** Requests to a copy that has nothing else to do, one at a time over one connection, the kinds in turn. */
export async function loneRequests(demo: Demo): Promise<LoneRequests> {
  const plans = Object.entries(await plansFor(demo));
  const url = new URL(demo.baseUrl);
  let number = 0;
  return {
    measure: async (seconds) => {
      // A server closes a connection over which nothing comes for a while.
      const connection = await connect(url.hostname, Number(url.port));
      const times = plans.map((): number[] => []);
      const end = performance.now() + seconds * 1000;
      while (performance.now() < end) {
        for (const [kind, [, plan]] of plans.entries()) {
          times[kind]?.push(await timed(connection, plan, number));
          await delay(pauseMs);
        }
        number += 1;
      }
      connection.close();
      return Object.fromEntries(
        plans.map(([what], kind) => {
          const sorted = (times[kind] ?? []).sort((a, b) => a - b);
          return [what, { p50: median(sorted), p10: sorted[Math.floor(sorted.length / 10)] ?? Number.NaN }];
        }),
      );
    },
  };
}

async function plansFor(demo: Demo): Promise<Record<string, LoadPlan>> {
  const common = { headers: { Authorization: `Bearer ${demo.apiKey}` }, connections: 1, warmupSeconds: 0, seconds: 0 };
  const accept: LoadPlan = {
    ...{ ...common, url: `${demo.baseUrl}/v1/click/accept`, method: "POST", keyPrefix: "idle" },
    body: JSON.stringify({ templateSlug: "terms-of-service", userRef: "user-{n}" }),
  };
  const session: LoadPlan = {
    ...{ ...common, url: `${demo.baseUrl}/v1/click/sessions`, method: "POST" },
    body: JSON.stringify({ templateSlug: "terms-of-service", userRef: "user-{n}" }),
  };
  const id = await findTemplate({ demo, accessToken: demo.apiKey });
  const get = (path: string): LoadPlan => ({ ...common, url: demo.baseUrl + path, method: "GET" });
  return {
    [healthz]: get(healthz),
    accept,
    "template GET": get(`/v1/click/templates/${id}`),
    "new session": session,
  };
}

async function timed(connection: Connection, plan: LoadPlan, n: number): Promise<number> {
  const request = buildRequest(plan, new URL(plan.url), n);
  const began = performance.now();
  const status = await connection.send(request);
  const took = performance.now() - began;
  if (status >= 300) throw new Error(`${plan.method} ${plan.url} answered ${status}`);
  return took;
}

/** Committed and rolled back ones of the product's database, a second. */
async function transactionsWhenIdle(folder: string): Promise<number> {
  const port = readFileSync(join(folder, "postgres/cluster/postmaster.pid"), "utf8").split("\n")[3];
  const password = readFileSync(join(folder, "postgres/password"), "utf8").trim();
  const database = new pg.Client({ host: "127.0.0.1", port: Number(port), user: "postgres", password });
  await database.connect();
  const count = async (): Promise<number> => {
    const sql = "select xact_commit + xact_rollback as n from pg_stat_database where datname = 'assent'";
    return Number((await database.query<{ n: string }>(sql)).rows[0]?.n);
  };
  await delay(settleMs);
  const before = await count();
  await delay(quietMs);
  const after = await count();
  await database.end();
  return (after - before) / (quietMs / 1000);
}
