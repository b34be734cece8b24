import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { defineEntity, p } from "@mikro-orm/core";
import { createOrm, withOrgEm } from "../../db/orm.ts";
import { withOrg } from "../../db/pool.ts";
import { insertOutbox, insertOutboxEm, type OutboxRecord } from "../outbox.ts";
import { makeRecord, type OutboxDatabase, openOutboxDatabase, orgA, orgB, schema, write } from "./outbox-database.ts";

let db: OutboxDatabase;
beforeAll(async () => {
  db = await openOutboxDatabase();
});
afterAll(() => db.close());
beforeEach(() => db.superuser.query(`truncate ${schema}.outbox`));

const stored = async (): Promise<OutboxRecord[]> => {
  const found = await db.superuser.query<OutboxRecord>(
    `select event_id as "eventId", organization_id as "organizationId", subject, data from ${schema}.outbox order by position`,
  );
  return found.rows;
};

describe("insertOutbox", () => {
  test("records are stored in the order they are given, whatever their text", async () => {
    const records = Array.from({ length: 30 }, (_, index) => ({
      ...makeRecord(),
      data: `{"n":${index},"t":"a\\"\\\\,{}' é"}`,
    }));
    await write(db.writer, records);
    expect(await stored()).toEqual(records);
  });

  test("nothing is left when the transaction does not commit", async () => {
    const failed = withOrg(db.writer, orgA, async ({ client }) => {
      await insertOutbox(client, schema, [makeRecord()]);
      throw new Error("changed my mind");
    });
    await expect(failed).rejects.toThrow("changed my mind");
    expect(await stored()).toEqual([]);
  });

  test("no records are no statement", async () => {
    await write(db.writer, []);
    expect(await stored()).toEqual([]);
  });

  test("the writer can neither write for another organization nor read, change or delete what is there", async () => {
    await expect(
      withOrg(db.writer, orgB, ({ client }) => insertOutbox(client, schema, [makeRecord(orgA)])),
    ).rejects.toThrow("row-level security");
    for (const sql of ["select * from shop.outbox", "delete from shop.outbox", "update shop.outbox set data = ''"]) {
      await expect(withOrg(db.writer, orgA, ({ client }) => client.query(sql))).rejects.toThrow("permission denied");
    }
  });

  test("the relay cannot change what an event says", async () => {
    await expect(db.relay.query("update shop.outbox set data = ''")).rejects.toThrow("permission denied");
  });
});

describe("insertOutboxEm", () => {
  test("writes within the transaction of the entity manager", async () => {
    const Unused = defineEntity({ name: "Unused", properties: { id: p.uuid().primary() } });
    const orm = createOrm({ url: db.database.url, role: "assent_shop_test", schema, name: "orm", entities: [Unused] });
    const records = [{ ...makeRecord(), data: `{"t":"a\\"\\\\,{}'? é"}` }, makeRecord()];
    await withOrgEm(orm, orgA, ({ em }) => insertOutboxEm(em, schema, records));
    expect(await stored()).toEqual(records);
    await orm.close();
  });
});
