import { randomBytes } from "node:crypto";
import pg from "pg";
import { literal } from "#platform/db/ddl.ts";
import { type Cluster, type ClusterShape, startCluster } from "../accept-history/cluster.ts";

const gateways = ["gateway", "gateway-2", "gateway-3", "gateway-4"] as const;

/**
 * Four gateways, each with its own way to the database of the limits. For them the clock of the database is not that of
 * the machine: it is a day ahead, and its windows end when the run wants them to.
 */
export const budgetShape: ClusterShape = {
  gateways: gateways.length,
  clicks: 1,
  environments: async ({ databaseUrl, inspectUrl, link }) => {
    const ownUrl = await createLogin(databaseUrl, inspectUrl);
    const environments = new Map<string, Record<string, string>>();
    for (const gateway of gateways) {
      environments.set(gateway, { DATABASE_URL: await link(`${gateway} and postgres`, ownUrl) });
    }
    return environments;
  },
};

export const startBudgetCluster = (): Promise<Cluster> => startCluster(budgetShape);

/** The name of the gateway with this address. */
export const gatewayAt = (index: number): string => gateways[index] ?? `gateway-${index + 1}`;

const daySeconds = 86_400;
const login = "assent_budgets";

/** A login of the gateways' role that finds our clock before the one that Postgres has. */
async function createLogin(databaseUrl: string, inspectUrl: string): Promise<string> {
  const password = randomBytes(24).toString("base64url");
  await asSuperuser(
    inspectUrl,
    `create schema budgets;
     grant usage on schema budgets to public;
     ${clockSql(daySeconds)};
     create role ${login} login password ${literal(password)};
     grant assent_gateway to ${login};
     alter role ${login} set search_path = budgets, pg_catalog`,
  );
  const url = new URL(databaseUrl);
  url.username = login;
  url.password = password;
  return url.href;
}

const clockSql = (aheadSeconds: number): string =>
  `create or replace function budgets.clock_timestamp() returns timestamptz language sql volatile
   as $$ select pg_catalog.clock_timestamp() + interval '${aheadSeconds} seconds' $$`;

/**
 * Sets the database's clock so that a window ends in so many seconds. Returns what to add to times of `now` to have unix
 * milliseconds of that clock.
 */
export async function setWindowEnd(inspectUrl: string, inSeconds: number, now: () => number): Promise<number> {
  const sql = "select extract(epoch from pg_catalog.clock_timestamp())::float8 as seconds";
  const askedAt = now();
  const { rows } = await asSuperuser(inspectUrl, sql);
  const seconds = Number(rows[0].seconds);
  const offset = seconds * 1_000 - (askedAt + now()) / 2;
  const ahead = daySeconds + ((((60 - inSeconds - seconds) % 60) + 60) % 60);
  await asSuperuser(inspectUrl, clockSql(ahead));
  return offset + ahead * 1_000;
}

async function asSuperuser(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}
