import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { defineEntity, p } from "@mikro-orm/core";
import { newId, type OrgId } from "../../ids.ts";
import { createEmptyTestDatabase, type TestDatabase, terminateSessions } from "../../testing/database.ts";
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

const openOrm = (url: string) => createOrm({ url, role, schema, name: "test", max: 2, entities: [Note] });

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
    await expect(spoiled).rejects.toThrow("transaction is aborted");
    expect(await titles(orgA)).toEqual(["first"]);
  });

  test("Kysely shares the transaction", async () => {
    const found = await withOrgEm(orm, orgA, ({ em }) => em.getKysely().selectFrom("note").select("title").execute());
    expect(found).toEqual([{ title: "first" }]);
  });
});
