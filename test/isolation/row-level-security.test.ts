import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { createPool } from "#platform/db/pool.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { type Catalog, described, readCatalog, schemas, spans, type Table } from "./catalog.ts";
import { anchorLogPolicies, securityDefiners, tablesOfNobody, uniqueIndexes } from "./exceptions.ts";
import { spanningRoles } from "./spanning-roles.ts";

let database: TestDatabase;
let pool: pg.Pool;
let catalog: Catalog;
let ofOrganizations: readonly Table[];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.superuserUrl, name: "test", max: 2 });
  catalog = await readCatalog(pool);
  ofOrganizations = catalog.tables.filter((table) => table.ofOrganization);
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const namesOf = (tables: readonly Table[]): string[] => tables.map(({ name }) => name);

/** The first column of what a query over the catalogs finds. `$1` is the list of schemas. */
async function list(text: string): Promise<unknown[]> {
  const { rows } = await pool.query<unknown[]>({ text, values: [schemas], rowMode: "array" });
  return rows.map(([first]) => first);
}

describe("every table", () => {
  test("has an organization, or a written reason why not", () => {
    expect(namesOf(catalog.tables.filter((table) => !table.ofOrganization)).sort()).toEqual(
      Object.keys(tablesOfNobody).sort(),
    );
  });

  test("with an organization has row-level security, for its owner too, and a policy", () => {
    expect(ofOrganizations.length).toBeGreaterThan(30);
    expect(namesOf(ofOrganizations.filter(({ forced, policies }) => !forced || policies === 0))).toEqual([]);
  });

  test("with an organization lets every role see one organization, but for what is written down", () => {
    const byTable = new Map(ofOrganizations.map(({ name }) => [name, 0]));
    const isolating = catalog.policies.filter((policy) => policy.permissive && !spans(policy));
    for (const { name, roles } of isolating) {
      expect([name, roles]).toEqual([expect.stringMatching(/ org_isolation \(\*\)$/), ["public"]]);
      byTable.set(name.split(" ")[0] ?? "", 1);
    }
    expect([...byTable].filter(([, count]) => count !== 1)).toEqual([]);
  });

  test("with an organization has it first in each unique index, but for those with a written reason", () => {
    const others = ofOrganizations.flatMap(({ indexesLater, indexesWithout }) => [...indexesLater, ...indexesWithout]);
    expect(others.sort()).toEqual(Object.keys(uniqueIndexes).sort());
  });

  test("with an organization refers to rows of the same organization only", () => {
    expect(ofOrganizations.flatMap(({ foreignKeysWithout }) => foreignKeysWithout)).toEqual([]);
  });

  test("with an organization can be emptied when one is deleted, but for that it was", async () => {
    expect(
      await list(`select c.oid::regclass::text from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
        left join pg_roles r on r.rolname = 'assent_' || c.relnamespace::regnamespace || '_destroyer'
        where c.relnamespace::regnamespace::text = any($1) and c.relkind in ('r', 'p')
          and not coalesce(has_table_privilege(r.oid, c.oid, 'delete'), false)`),
    ).toEqual(["auth.organization_deletion"]);
  });

  test("belongs to the owner of the database, who serves no request", () => {
    expect([...new Set(catalog.tables.map(({ owner }) => owner))]).toEqual(["assent_owner"]);
  });
});

describe("every role of a service", () => {
  test("can do nothing but what it was granted: no login, no creation, no other role, nothing of its own", () => {
    expect(catalog.roles.length).toBeGreaterThan(10);
    const none = { strong: false, owns: 0, canCreate: false, foreignSchemas: [], memberships: [] };
    for (const role of catalog.roles) expect(role).toEqual({ ...none, name: role.name });
  });

  test("has privileges in the schema of its service only, and nobody else has any", () => {
    const known = new Set(catalog.roles.map(({ name }) => name));
    const own = ({ role, grant }: { role: string; grant: string }) =>
      known.has(role) && role.startsWith(`assent_${grant.split(".")[0]}`);
    expect(catalog.grants.filter((grant) => !own(grant))).toEqual([]);
  });

  test("sees one organization, but for those with a written reason", () => {
    const spanning = catalog.policies.filter(spans);
    const found = spanning.flatMap((policy) => policy.roles.map((role) => `${role}: ${described(policy)}`));
    const known = Object.entries(spanningRoles).flatMap(([role, { policies }]) => policies.map((p) => `${role}: ${p}`));
    expect(found.sort()).toEqual([...known, ...anchorLogPolicies.map((p) => `assent_click: ${p}`)].sort());
  });

  test.each(Object.entries(spanningRoles))("%s can do what its reason needs and no more", (role, { grants }) => {
    const byTable = new Map<string, string[]>();
    for (const { grant } of catalog.grants.filter((each) => each.role === role)) {
      const [table = "", privilege = ""] = grant.split(": ");
      byTable.set(table, [...(byTable.get(table) ?? []), privilege]);
    }
    expect([...byTable].map(([table, all]) => `${table}: ${all.sort().join(", ")}`).sort()).toEqual([...grants].sort());
  });
});

describe("around the tables", () => {
  test("everybody else may do nothing", async () => {
    expect(
      await list(`select s from unnest($1::text[]) s where has_schema_privilege('public', s, 'usage')
        or has_schema_privilege('public', s, 'create')`),
    ).toEqual([]);
    expect(
      await list(`select c.oid::regclass::text from pg_class c cross join lateral aclexplode(c.relacl) g
        where c.relnamespace::regnamespace::text = any($1) and g.grantee = 0`),
    ).toEqual([]);
  });

  test("no function runs with the rights of its owner, but for those with a written reason", async () => {
    const found = await list(
      "select oid::regprocedure::text from pg_proc where pronamespace::regnamespace::text = any($1) and prosecdef",
    );
    expect(found).toEqual(Object.keys(securityDefiners));
  });

  test("no view shows what its reader may not see", async () => {
    expect(
      await list(`select oid::regclass::text from pg_class where relnamespace::regnamespace::text = any($1)
        and (relkind = 'm' or relkind = 'v' and not coalesce('security_invoker=true' = any(reloptions), false))`),
    ).toEqual([]);
  });
});
