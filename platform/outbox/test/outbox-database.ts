import type pg from "pg";
import type { EventJson } from "#gen/assent/events/v1/events_pb.ts";
import { createRoleSql } from "../../db/ddl.ts";
import { createPool, withOrg } from "../../db/pool.ts";
import { inboxTablesSql } from "../../events/consume.ts";
import { newId, type OrgId } from "../../ids.ts";
import { createEmptyTestDatabase, type TestDatabase } from "../../testing/database.ts";
import { insertOutbox, type OutboxRecord, outboxCursorSql, outboxTablesSql } from "../outbox.ts";

/** A database with one schema that has an outbox and an inbox, and pools of the roles that use them. */
export interface OutboxDatabase {
  readonly database: TestDatabase;
  readonly schema: string;
  /** Writes to the outbox and consumes. */
  readonly writer: pg.Pool;
  readonly relay: pg.Pool;
  /** Sees everything. */
  readonly superuser: pg.Pool;
  /** Empties all tables. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export const schema = "shop";
const writerRole = "assent_shop_test";
const relayRole = "assent_shop_test_relay";

export async function openOutboxDatabase(): Promise<OutboxDatabase> {
  const database = await createEmptyTestDatabase();
  const owner = createPool({ url: database.url, name: "owner" });
  const statements = [
    createRoleSql(writerRole),
    createRoleSql(relayRole),
    `create schema ${schema}`,
    ...outboxTablesSql({ schema, writerRole, relayRole }),
    ...outboxCursorSql({ schema, relayRole }),
    ...inboxTablesSql({ schema, role: writerRole }),
  ];
  for (const statement of statements) await owner.query(statement);
  await owner.end();
  const writer = createPool({ url: database.url, role: writerRole, name: "writer" });
  const relay = createPool({ url: database.url, role: relayRole, name: "relay" });
  const superuser = createPool({ url: database.superuserUrl, name: "superuser" });
  return {
    database,
    schema,
    writer,
    relay,
    superuser,
    reset: async () => {
      await superuser.query(
        `truncate ${schema}.outbox, ${schema}.relay_lease, ${schema}.relay_state, ${schema}.relay_cursor, ${schema}.inbox, ${schema}.dead_event restart identity`,
      );
    },
    close: async () => {
      await Promise.all([writer.end(), relay.end(), superuser.end()]);
      await database.drop();
    },
  };
}

export const orgA = newId() as OrgId;
export const orgB = newId() as OrgId;

export function makeRecord(organizationId: OrgId = orgA, subject = "assent.click.session.completed"): OutboxRecord {
  const eventId = newId();
  const event = {
    id: eventId,
    subject,
    organizationId,
    occurredAt: "2026-11-20T17:00:00.123Z",
    aggregateId: newId(),
    requestId: "r",
    traceparent: "",
    sessionCompleted: { sessionId: newId(), outcome: "ACCEPTED" },
  } satisfies EventJson;
  return { eventId, organizationId, subject, data: JSON.stringify(event) };
}

/** Writes the records of one organization in one transaction. */
export const write = (pool: pg.Pool, records: readonly OutboxRecord[]): Promise<void> =>
  withOrg(pool, (records[0]?.organizationId ?? orgA) as OrgId, ({ client }) => insertOutbox(client, schema, records));
