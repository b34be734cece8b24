import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { createRoleSql } from "../../db/ddl.ts";
import { createPool, type Tenant, withOrg } from "../../db/pool.ts";
import { newId, type OrgId } from "../../ids.ts";
import { createEmptyTestDatabase, type TestDatabase } from "../../testing/database.ts";
import { blobTablesSql, createPostgresBlobStore, sealedBlobsSql } from "../blob-store.ts";
import { describeBlobStore, type StoreUnderTest } from "./blob-store-contract.ts";

const schema = "shop";
const writerRole = "assent_shop_test";
let database: TestDatabase;
let writer: pg.Pool;
let superuser: pg.Pool;
let underTest: StoreUnderTest;

beforeAll(async () => {
  database = await createEmptyTestDatabase();
  const owner = createPool({ url: database.url, name: "owner" });
  const statements = [
    createRoleSql(writerRole),
    `create schema ${schema}`,
    `grant usage on schema ${schema} to ${writerRole}`,
    ...blobTablesSql({ schema, writerRole }),
    ...sealedBlobsSql(schema),
  ];
  for (const statement of statements) await owner.query(statement);
  await owner.end();
  writer = createPool({ url: database.url, role: writerRole, name: "writer" });
  superuser = createPool({ url: database.superuserUrl, name: "superuser" });
  underTest = {
    store: createPostgresBlobStore({ pool: writer, schema }),
    transaction: (orgId, work) => withOrg(writer, orgId, work),
    count: async (orgId) => ({
      blobs: await countRows("blob", orgId),
      references: await countRows("blob_reference", orgId),
    }),
  };
});
afterAll(async () => {
  await Promise.all([writer.end(), superuser.end()]);
  await database.drop();
});

async function countRows(table: string, orgId: OrgId): Promise<number> {
  const sql = `select count(*)::integer as count from ${schema}.${table} where organization_id = $1`;
  return (await superuser.query<{ count: number }>(sql, [orgId])).rows[0]?.count ?? 0;
}

describeBlobStore("createPostgresBlobStore", () => underTest);

describe("a put that is interrupted between its statements", () => {
  test("keeps the blob that it found, although the last owner lets go of it just then", async () => {
    const { store, transaction, count } = underTest;
    const orgId = newId() as OrgId;
    const [last, next] = [newId(), newId()];
    const bytes = Buffer.from("wanted");
    await store.put(orgId, last, bytes);
    let releasing: Promise<void> | undefined;
    await transaction(orgId, async ({ client }) => {
      const interrupted = {
        query: async (sql: string, values: unknown[]) => {
          const result = await client.query(sql, values);
          if (releasing === undefined) {
            releasing = store.release(orgId, last);
            await client.query("select pg_sleep(0.2)");
          }
          return result;
        },
      };
      await store.put({ orgId, client: interrupted } as unknown as Tenant, next, bytes);
    });
    await releasing;
    expect(await count(orgId)).toEqual({ blobs: 1, references: 1 });
  });
});

describe("the tables", () => {
  test("bytes cannot be stored under the name of others", async () => {
    const orgId = newId() as OrgId;
    const sql = `insert into ${schema}.blob (organization_id, sha256, bytes) values ($1, sha256('a'), 'b')`;
    await expect(withOrg(writer, orgId, ({ client }) => client.query(sql, [orgId]))).rejects.toThrow(
      /check constraint/,
    );
  });

  test("a blob that somebody refers to cannot be deleted", async () => {
    const orgId = newId() as OrgId;
    await underTest.store.put(orgId, newId(), Buffer.from("needed"));
    const sql = `delete from ${schema}.blob where organization_id = $1`;
    await expect(withOrg(writer, orgId, ({ client }) => client.query(sql, [orgId]))).rejects.toThrow(/foreign key/);
  });
});
