import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { createPool } from "#platform/db/pool.ts";
import { until } from "#platform/testing/until.ts";
import { bodyOf } from "../support/journeys.ts";
import { type System, startSystem } from "../support/system.ts";
import { type Catalog, readCatalog, spans } from "./catalog.ts";
import { emptyTables } from "./exceptions.ts";
import { createResources } from "./resources.ts";

let system: System;
let pool: pg.Pool;
let catalog: Catalog;
let a: string;
let b: string;

beforeAll(async () => {
  system = await startSystem("single process");
  pool = createPool({ url: system.inspectUrl, name: "test", max: 1 });
  catalog = await readCatalog(pool);
  for (const name of ["a", "b"]) {
    const api = await system.newOrganization();
    const { session } = await createResources(api, name);
    bodyOf(200, await api.post(`/v1/click/sessions/${session}/events`, eventsOfAPage));
    const { userRef } = await createResources(api, `${name}-erased`);
    bodyOf(200, await api.call("DELETE", `/v1/click/users/${encodeURIComponent(userRef ?? "")}`));
    await system.admin.createOAuthClient({ organizationId: api.organizationId, name, scopes: ["click:read"] });
    [a, b] = [b ?? api.organizationId, api.organizationId];
  }
  // Statistics and trees of logs follow in the background.
  await until(async () => {
    const { rows } = await pool.query<{ done: boolean }>(
      `select count(distinct h.organization_id) = 2 as done from click.log_head h
       join click.log_tree t on t.organization_id = h.organization_id and t.size = h.size
       join click.stat_holder s on s.organization_id = h.organization_id`,
    );
    return rows[0]?.done === true;
  });
});
afterAll(async () => {
  await pool?.end();
  await system?.stop();
});

const eventsOfAPage = { events: [{ type: "SCROLLED_TO_END", at: new Date().toISOString() }] };

/** Runs one statement as a role of a service, in a transaction of an organization or of none. */
async function as(role: string, organization: string, sql: string, values: unknown[] = []): Promise<pg.QueryResult> {
  const client = await pool.connect();
  try {
    await client.query(`begin; set local role ${role}`);
    await client.query("select set_config('app.org_id', $1, true)", [organization]);
    return await client.query(sql, values);
  } finally {
    await client.query("rollback");
    client.release();
  }
}

const tables = () => catalog.tables.filter(({ ofOrganization }) => ofOrganization).map(({ name }) => name);

/** Roles that may do this with the column that says whose a row is. */
async function rolesWith(privilege: "select" | "insert"): Promise<{ role: string; table: string }[]> {
  const { rows } = await pool.query<{ role: string; table: string }>(
    `select r as role, t as table from unnest($1::text[]) r, unnest($2::text[]) t
     where has_column_privilege(r, t, 'organization_id', $3) order by 1, 2`,
    [catalog.roles.map(({ name }) => name), tables(), privilege],
  );
  return rows;
}

/** Whether a policy admits rows of any organization to this role; those are checked one by one elsewhere. */
const isAdmitted = (role: string, table: string, command: "r" | "a"): boolean =>
  catalog.policies.some(
    (policy) =>
      spans(policy) &&
      policy.roles.includes(role) &&
      ["*", command].some((c) => policy.name.startsWith(`${table} `) && policy.name.endsWith(`(${c})`)) &&
      !policy.name.includes("anchor_log"),
  );

describe("rows of two organizations that used the product", () => {
  test("stand in every table, but for those that are written down", async () => {
    const isIn = async (table: string): Promise<boolean> => {
      const { rows } = await pool.query(
        `select count(distinct organization_id)::integer as n from ${table} where organization_id in ($1, $2)`,
        [a, b],
      );
      return rows[0].n === 2;
    };
    const empty: string[] = [];
    for (const table of tables()) if (!(await isIn(table))) empty.push(table);
    expect(empty.filter((table) => !emptyTables.includes(table))).toEqual([]);
    expect(emptyTables.filter((table) => !tables().includes(table))).toEqual([]);
  });

  test("are seen by no role of another organization, and without an organization by none", async () => {
    const count = "select organization_id = $1 as own, count(*)::integer as n from";
    const seen = { own: 0, foreign: [] as string[], without: [] as string[] };
    for (const { role, table } of await rolesWith("select")) {
      if (isAdmitted(role, table, "r")) continue;
      const sql = `${count} ${table} where organization_id in ($1, $2) group by 1`;
      const { rows } = await as(role, b, sql, [b, a]);
      if (rows.some(({ own }) => own)) seen.own += 1;
      if (rows.some(({ own }) => !own)) seen.foreign.push(`${role}: ${table}`);
      if ((await as(role, "", sql, [b, a])).rows.length > 0) seen.without.push(`${role}: ${table}`);
    }
    expect(seen).toEqual({ own: expect.any(Number), foreign: [], without: [] });
    // Otherwise it would prove nothing.
    expect(seen.own).toBeGreaterThan(30);
  });

  test("cannot be written for another organization, nor without one", async () => {
    const refusals: string[] = [];
    const pairs = (await rolesWith("insert")).filter(({ role, table }) => !isAdmitted(role, table, "a"));
    for (const { role, table } of pairs) {
      for (const organization of [b, ""]) {
        // Row-level security is looked at first: what else the row lacks does not matter.
        const insert = as(role, organization, `insert into ${table} (organization_id) values ($1)`, [a]);
        const refusal = await insert.then(
          () => "inserted",
          (error: Error) => error.message,
        );
        if (!refusal.includes("row-level security policy")) refusals.push(`${role}: ${table}: ${refusal}`);
      }
    }
    expect(refusals).toEqual([]);
    expect(pairs.length).toBeGreaterThan(30);
  });
});
