import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type pg from "pg";
import { createRoleSql } from "../../db/ddl.ts";
import { createPool, withOrg } from "../../db/pool.ts";
import { createEmptyTestDatabase, type TestDatabase } from "../../testing/database.ts";
import { insertOutbox, outboxCursorSql, outboxTablesSql } from "../outbox.ts";
import { createOutboxReader } from "../outbox-reader.ts";
import { makeRecord, orgA } from "./outbox-database.ts";

const roles = { writerRole: "assent_shop_test", relayRole: "assent_shop_test_relay" };

let database: TestDatabase;
let owner: pg.Pool;
let writer: pg.Pool;
let relay: pg.Pool;

beforeAll(async () => {
  database = await createEmptyTestDatabase();
  owner = createPool({ url: database.url, max: 1, name: "owner" });
  writer = createPool({ url: database.url, role: roles.writerRole, name: "writer" });
  relay = createPool({ url: database.url, role: roles.relayRole, name: "relay" });
});
afterAll(async () => {
  await Promise.all([owner.end(), writer.end(), relay.end()]);
  await database.drop();
});

/** An outbox of four rows as it was before there was a cursor, of which those at these positions are marked; then updated. */
async function upgrade(schema: string, marked: readonly number[]) {
  const before = [createRoleSql(roles.writerRole), createRoleSql(roles.relayRole), `create schema ${schema}`];
  for (const sql of [...before, ...outboxTablesSql({ schema, ...roles })]) await owner.query(sql);
  const records = Array.from({ length: 4 }, () => makeRecord());
  await withOrg(writer, orgA, ({ client }) => insertOutbox(client, schema, records));
  await relay.query(`update ${schema}.outbox set published_at = now() where position = any($1)`, [marked]);
  for (const sql of ["begin", ...outboxCursorSql({ schema, ...roles }), "commit"]) await owner.query(sql);
  const next = makeRecord();
  await withOrg(writer, orgA, ({ client }) => insertOutbox(client, schema, [next]));
  const reader = createOutboxReader(relay, schema);
  await reader.resume(true);
  return (await reader.unpublished(10))?.map(({ position }) => position);
}

test("an outbox from before there was a cursor goes on with the first row that was not marked", async () => {
  expect(await upgrade("partly", [1, 3])).toEqual([2, 3, 4, 5]);
});

test("an outbox of which every row was marked publishes what comes", async () => {
  expect(await upgrade("fully", [1, 2, 3, 4])).toEqual([5]);
});

test("an outbox of which no row was marked loses none", async () => {
  expect(await upgrade("never", [])).toEqual([1, 2, 3, 4, 5]);
});
