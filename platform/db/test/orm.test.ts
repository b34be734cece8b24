import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { defineEntity, p } from "@mikro-orm/core";
import type { FreshText } from "../../config.ts";
import { newId, type OrgId } from "../../ids.ts";
import { createFaultProxy } from "../../net/fault-proxy.ts";
import { createEmptyTestDatabase, overNetwork, type TestDatabase, terminateSessions } from "../../testing/database.ts";
import { until } from "../../testing/until.ts";
import { createRoleSql, forceOrgIsolationSql } from "../ddl.ts";
import { createOrm, isTransient, isUniqueViolation, withOrgEm } from "../orm.ts";
import { createPool } from "../pool.ts";

const role = "assent_orm_test";
const schema = "notes";
const orgA = newId() as OrgId;
const orgB = newId() as OrgId;

const Note = defineEntity({
  name: "Note",
  tableName: "note",
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    title: p.string(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

const openOrm = (url: FreshText) => createOrm({ url, role, schema, name: "test", max: 2, entities: [Note] });

let database: TestDatabase;
let orm: ReturnType<typeof openOrm>;

beforeAll(async () => {
  database = await createEmptyTestDatabase();
  const owner = createPool({ url: database.url, name: "owner" });
  const statements = [
    createRoleSql(role),
    `create schema ${schema}`,
    `create table ${schema}.note (organization_id uuid not null, id uuid not null, title text not null,
       created_at timestamptz not null, primary key (organization_id, id), constraint note_title unique (organization_id, title))`,
    ...forceOrgIsolationSql(`${schema}.note`),
    `grant usage on schema ${schema} to ${role}`,
    `grant select, insert, update, delete on ${schema}.note to ${role}`,
  ];
  for (const statement of statements) await owner.query(statement);
  await owner.end();
  orm = openOrm(database.url);
});
afterAll(async () => {
  await orm.close();
  await database.drop();
});

const add = (organizationId: OrgId, title: string) =>
  withOrgEm(orm, organizationId, async ({ em }) => {
    em.create(Note, { organizationId, id: newId(), title });
  });
const titles = (orgId: OrgId) =>
  withOrgEm(orm, orgId, async ({ em }) =>
    (await em.findAll(Note, { orderBy: { title: 1 } })).map((note) => note.title),
  );

test("connections log in as the address says at that moment", async () => {
  const login = `assent_orm_login_${newId().replaceAll("-", "")}`;
  const run = (sql: string) => database.superuser.query(sql);
  const url = new URL(overNetwork(database.url));
  Object.assign(url, { username: login, password: "one" });
  await run(`create role ${login} login password 'one' in role ${role}`);
  const own = openOrm(() => url.href);
  try {
    const find = () => withOrgEm(own, orgA, ({ em }) => em.findAll(Note));
    await find();
    await run(`alter role ${login} password 'two'`);
    await Promise.all([find(), find(), find()]);
    url.password = "two";
    await until(async () => {
      await Promise.all([find(), find(), find()]);
      const { rows } = await database.superuser.query(
        "select count(*)::integer as n from pg_stat_activity where usename = $1",
        [login],
      );
      return rows[0].n === 2;
    });
  } finally {
    await own.close();
    await run(`drop role ${login}`);
  }
});

describe("withOrgEm", () => {
  test("changes are flushed and committed, and visible to their organization only", async () => {
    await add(orgA, "first");
    expect(await titles(orgA)).toEqual(["first"]);
    expect(await titles(orgB)).toEqual([]);
    const outside = orm.em.fork();
    expect(await outside.count(Note)).toBe(0);
  });

  test("nothing is kept when the work rejects", async () => {
    const failed = withOrgEm(orm, orgA, async ({ em }) => {
      em.create(Note, { organizationId: orgA, id: newId(), title: "second" });
      await em.flush();
      throw new Error("changed my mind");
    });
    await expect(failed).rejects.toThrow("changed my mind");
    expect(await titles(orgA)).not.toContain("second");
  });

  test("rows of another organization are refused by the database", async () => {
    const foreign = withOrgEm(orm, orgB, async ({ em }) => {
      em.create(Note, { organizationId: orgA, id: newId(), title: "foreign" });
    });
    await expect(foreign).rejects.toThrow("row-level security");
  });

  test("a unique violation and a lost connection are recognised through the errors of MikroORM", async () => {
    await add(orgB, "same");
    const twice = await add(orgB, "same").catch((reason: unknown) => reason);
    expect(isUniqueViolation(twice, "note_title")).toBe(true);
    expect(isUniqueViolation(twice, "note_pkey")).toBe(false);
    const lost = await withOrgEm(orm, orgB, async ({ em }) => {
      await terminateSessions(database, "test");
      return em.count(Note);
    }).catch((reason: unknown) => reason);
    expect(isTransient(lost)).toBe(true);
    expect(await titles(orgB)).toEqual(["same"]);
  });

  test("connections that break in a transaction do not wear out the pool", async () => {
    for (let i = 0; i < 3; i += 1) {
      const failing = withOrgEm(orm, orgA, async ({ em }) => {
        await terminateSessions(database, "test");
        return em.count(Note);
      });
      await expect(failing).rejects.toThrow();
    }
    expect(await titles(orgA)).toEqual(["first"]);
  });

  test("a transaction that was spoiled by a swallowed error is reported, not lost in silence", async () => {
    const spoiled = withOrgEm(orm, orgA, async ({ em }) => {
      await em.insert(Note, { organizationId: orgA, id: newId(), title: "spoiled", createdAt: new Date() });
      await em.execute("select 1 / 0").catch(() => {});
    });
    await expect(spoiled).rejects.toThrow("rolled back");
    expect(await titles(orgA)).toEqual(["first"]);
  });

  test("the beginning of a transaction goes out with the organization's name", async () => {
    const { hostname, port } = new URL(overNetwork(database.url));
    const proxy = await createFaultProxy({ host: hostname, port: Number(port) });
    const url = new URL(overNetwork(database.url));
    url.port = String(proxy.port);
    const through = openOrm(url.href);
    const find = () => withOrgEm(through, orgA, ({ em }) => em.count(Note));
    try {
      await find();
      proxy.setMode("hold-answers");
      const found = find();
      const sql =
        "select query from pg_stat_activity where state = 'idle in transaction' and application_name = 'test'";
      await until(async () =>
        (await database.superuser.query<{ query: string }>(sql)).rows.some(({ query }) => query.includes("set_config")),
      );
      proxy.setMode("pass");
      expect(await found).toBe(1);
    } finally {
      proxy.setMode("pass");
      await through.close();
      await proxy.close();
    }
  });

  test("Kysely shares the transaction", async () => {
    const found = await withOrgEm(orm, orgA, ({ em }) => em.getKysely().selectFrom("note").select("title").execute());
    expect(found).toEqual([{ title: "first" }]);
  });
});
