import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { createPool, withOrg, withTransaction } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import {
  createPublished,
  createTemplate,
  createVersion,
  type Organization,
  startTemplates,
  type TemplatesHarness,
  unpublish,
} from "./harness.ts";

let harness: TemplatesHarness;
let owner: Organization;
let stranger: Organization;
const pools = new Map<string, pg.Pool>();

beforeAll(async () => {
  harness = await startTemplates();
  [owner, stranger] = [harness.organization(), harness.organization()];
  for (const organization of [owner, stranger]) await createPublished(organization);
  for (const role of ["", "assent_templates", "assent_templates_resolver", "assent_templates_relay"]) {
    pools.set(role, createPool({ url: harness.databaseUrl, role, max: 1, name: "test" }));
  }
});
afterAll(async () => {
  for (const pool of pools.values()) await pool.end();
  await harness.stop();
});

const tables = ["template", "version", "content", "revision"];

const as = (role: string): pg.Pool => {
  const pool = pools.get(role);
  if (pool === undefined) throw new Error(`no pool for ${role}`);
  return pool;
};

const owners = async (client: pg.ClientBase, table: string): Promise<string[]> => {
  const { rows } = await client.query(`select distinct organization_id::text as id from templates.${table}`);
  return rows.map((row: { id: string }) => row.id).sort();
};

const denied = expect.objectContaining({ code: "42501" });

describe("row-level security", () => {
  test.each(tables)("%s shows one organization its own rows and nobody else any", async (table) => {
    for (const role of ["assent_templates", ...(table === "template" ? [""] : [])]) {
      const pool = as(role);
      if (role === "assent_templates") {
        expect(await withOrg(pool, owner.orgId, ({ client }) => owners(client, table))).toEqual([owner.orgId]);
      }
      expect(await withTransaction(pool, (client) => owners(client, table))).toEqual([]);
    }
  });

  test.each(tables)("%s is forced upon its owner", async (table) => {
    expect(await withTransaction(as(""), (client) => owners(client, table))).toEqual([]);
    expect(await withOrg(as(""), owner.orgId, ({ client }) => owners(client, table))).toEqual([owner.orgId]);
  });

  test("a row of another organization can neither be written nor changed", async () => {
    const steal = `insert into templates.content (organization_id, hash, bytes)
      values ($1, 'sha256:' || encode(sha256('x'), 'hex'), 'x')`;
    const attempt = withOrg(as("assent_templates"), owner.orgId, ({ client }) => client.query(steal, [stranger.orgId]));
    await expect(attempt).rejects.toEqual(denied);
    const changed = await withOrg(as("assent_templates"), owner.orgId, ({ client }) =>
      client.query("update templates.template set name = 'x' where organization_id = $1", [stranger.orgId]),
    );
    expect(changed.rowCount).toBe(0);
  });

  test("every table with an organization has it, and every unique index contains the organization", async () => {
    const { rows } = await harness.superuser.query(
      `select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'templates' and c.relkind = 'r' and not (c.relrowsecurity and c.relforcerowsecurity)
         and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id')`,
    );
    expect(rows).toEqual([]);
    const { rows: indexes } = await harness.superuser.query(
      `select indexdef from pg_indexes where schemaname = 'templates' and indexdef like 'CREATE UNIQUE%'
         and indexdef not like '%organization_id%' and tablename in ('template', 'version', 'content', 'revision', 'outbox')`,
    );
    expect(indexes).toEqual([]);
  });
});

describe("privileges", () => {
  test.each([
    "update templates.revision set label = '9.9'",
    "delete from templates.revision",
    "truncate templates.revision",
    "update templates.content set bytes = 'x'",
    "delete from templates.content",
    "truncate templates.content",
    "truncate templates.template cascade",
    "truncate templates.version cascade",
    "select from templates.outbox",
    "update templates.outbox set data = ''",
    "alter table templates.revision disable row level security",
  ])("the service may not: %s", async (sql) => {
    const attempt = withOrg(as("assent_templates"), owner.orgId, ({ client }) => client.query(sql));
    await expect(attempt).rejects.toEqual(denied);
  });

  test("the service may delete what was never published and nothing else", async () => {
    const { template, version } = await createPublished(stranger);
    await unpublish(stranger, version);
    await createVersion(stranger, template.id, { locale: "de" });
    const draft = await createTemplate(stranger);
    await createVersion(stranger, draft.id);
    const remove = (sql: string) =>
      withOrg(as("assent_templates"), stranger.orgId, async ({ client }) => (await client.query(sql)).rowCount);
    expect(await remove("delete from templates.version")).toBe(2);
    expect(await remove("delete from templates.template")).toBe(1);
    const { templates } = await stranger.listTemplates({ includeVersions: true });
    expect(templates.flatMap(({ versions }) => versions.map(({ revision }) => revision))).toEqual([1, 1]);
  });

  test("what was never published cannot be hidden instead of deleted", async () => {
    const { id } = await createTemplate(owner);
    const sql = "update templates.template set deleted_at = now() where id = $1";
    const attempt = withOrg(as("assent_templates"), owner.orgId, ({ client }) => client.query(sql, [id]));
    await expect(attempt).rejects.toEqual(expect.objectContaining({ code: "23514" }));
  });

  test("a text cannot be stored under the hash of another", async () => {
    const sql = "insert into templates.content (organization_id, hash, bytes) values ($1, $2, 'x')";
    const values = [owner.orgId, `sha256:${"0".repeat(64)}`];
    const attempt = withOrg(as("assent_templates"), owner.orgId, ({ client }) => client.query(sql, values));
    await expect(attempt).rejects.toEqual(expect.objectContaining({ code: "23514" }));
  });

  test("the resolver reads templates and published versions of all organizations", async () => {
    for (const table of ["template", "version"]) {
      const seen = await withTransaction(as("assent_templates_resolver"), (client) => owners(client, table));
      expect(seen).toEqual([owner.orgId, stranger.orgId].sort());
    }
  });

  test.each([
    "select content from templates.version",
    "select title from templates.version",
    "select metadata from templates.template",
    "select * from templates.template",
    "select from templates.revision",
    "select from templates.content",
    "select from templates.outbox",
    "update templates.template set name = 'x'",
    "insert into templates.version (organization_id) values (null)",
    "delete from templates.version",
  ])("the resolver may not: %s", async (sql) => {
    const attempt = withTransaction(as("assent_templates_resolver"), (client) => client.query(sql));
    await expect(attempt).rejects.toEqual(denied);
  });

  test.each(tables)("the relay sees nothing of %s", async (table) => {
    const attempt = withTransaction(as("assent_templates_relay"), (client) => owners(client, table));
    await expect(attempt).rejects.toEqual(denied);
  });

  test("no role of the service can bypass any of this", async () => {
    const { rows } = await harness.superuser.query<{ rolname: OrgId }>(
      `select rolname from pg_roles where rolname like 'assent_templates%' and (rolsuper or rolbypassrls or rolcanlogin)`,
    );
    expect(rows).toEqual([]);
  });
});
