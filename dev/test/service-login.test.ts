import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type pg from "pg";
import { createPool } from "#platform/db/pool.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { allowServiceRoles } from "../migrate.ts";

let database: TestDatabase;
let superuser: pg.Pool;
let loginUrl: string;
const login = `login_${randomBytes(6).toString("hex")}`;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = createPool({ url: database.superuserUrl, name: "test" });
  const password = randomBytes(12).toString("hex");
  await superuser.query(`create role ${login} login noinherit password '${password}'`);
  const url = new URL(database.url);
  url.username = login;
  url.password = password;
  loginUrl = url.href;
  await allowServiceRoles(database.url, login);
});
afterAll(async () => {
  await superuser.query(`drop owned by ${login}`);
  await superuser.query(`drop role ${login}`);
  await superuser.end();
  await database.drop();
});

const as = async (role: string, sql: string): Promise<string> => {
  const pool = createPool({ url: loginUrl, name: "test", role, max: 1 });
  try {
    return JSON.stringify((await pool.query(sql)).rows);
  } catch (error) {
    return (error as pg.DatabaseError).code ?? String(error);
  } finally {
    await pool.end();
  }
};
const ownerName = (): string => new URL(database.url).username;
const insufficientPrivilege = "42501";

test("the login may take on the role of every service, once as often as it is asked for", async () => {
  await allowServiceRoles(database.url, login);
  for (const role of ["assent_auth", "assent_click_recorder", "assent_docgen", "assent_gateway", "assent_webhooks"]) {
    expect(await as(role, "select current_user as name")).toBe(JSON.stringify([{ name: role }]));
  }
  expect(await as("assent_templates", "select count(*)::int as found from templates.template")).toBe('[{"found":0}]');
});

test("a login that is only a member of what was allowed may take on the roles too", async () => {
  const group = `${login}_group`;
  await superuser.query(`create role ${group} nologin`);
  try {
    await superuser.query(`revoke assent_auth, assent_templates from ${login} granted by ${ownerName()}`);
    expect(await as("assent_auth", "select 1")).toBe(insufficientPrivilege);
    await superuser.query(`grant ${group} to ${login}`);
    await allowServiceRoles(database.url, group);
    expect(await as("assent_auth", "select current_user as name")).toBe('[{"name":"assent_auth"}]');
    expect(await as("", "select from templates.template")).toBe(insufficientPrivilege);
  } finally {
    await superuser.query(`drop role ${group}`);
  }
});

test("as itself the login may do nothing, and it may not become the owner", async () => {
  expect(await as("", "select from templates.template")).toBe(insufficientPrivilege);
  expect(await as("", "create schema more")).toBe(insufficientPrivilege);
  expect(await as("assent_templates", "create table templates.more ()")).toBe(insufficientPrivilege);
  expect(await as("", `set role ${ownerName()}`)).toBe(insufficientPrivilege);
});
