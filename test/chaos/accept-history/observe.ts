import type pg from "pg";
import { createPool } from "#platform/db/pool.ts";
import { until } from "#platform/testing/until.ts";
import type { EventLog } from "../../support/events.ts";
import type { ConsentRow, LogView, Observation, RecordRow } from "./observation.ts";
import { type CheckpointWatch, observeLog, readKeySet } from "./observe-logs.ts";
import type { Tenant } from "./tenants.ts";

/** Everything is published long before; a relay that was killed keeps its lease for 15 s. */
const deliveryMs = 45_000;

export interface Seen {
  readonly events: EventLog;
  readonly checkpoints: CheckpointWatch;
}

/** Reads what the system holds, after waiting for what is still on its way. */
export async function observe(inspectUrl: string, tenants: readonly Tenant[], seen: Seen): Promise<Observation> {
  const { events } = seen.events;
  const pool = createPool({ url: inspectUrl, name: "history", max: 1 });
  try {
    const organizations = tenants.map((tenant) => tenant.organizationId);
    const records = await readRecords(pool, organizations);
    const consents = await readConsents(pool, organizations);
    const expected = await readOutbox(pool, organizations);
    // What is missing after all this time is for the checker to tell.
    await until(() => expected.every((id) => events.has(id)), deliveryMs).catch(() => undefined);
    const delivered = [...events]
      .filter(([, event]) => organizations.includes(event.organizationId ?? ""))
      .map(([id, { subject = "", aggregateId = "" }]) => ({ id, subject, aggregateId }));
    // Checkpoints are announced all the time: what came meanwhile was written too, and what was written may be on its way.
    const writtenLater = (await readOutbox(pool, organizations)).filter((id) => events.has(id));
    const outbox = [...new Set([...expected, ...writtenLater])];
    const logs: LogView[] = [];
    for (const tenant of tenants) {
      logs.push(await observeLog(pool, tenant, seen.checkpoints.notes.get(tenant.organizationId) ?? []));
    }
    return { records, consents, outbox, delivered, logs, keySet: await readKeySet(tenants[0]?.api.baseUrl ?? "") };
  } finally {
    await pool.end();
  }
}

async function readRecords(pool: pg.Pool, organizations: readonly string[]): Promise<RecordRow[]> {
  const { rows } = await pool.query<RecordRow>(
    `select organization_id as "organizationId", receipt_id as "recordId", decision, session_id as "sessionId"
     from click.acceptance where organization_id = any($1)`,
    [organizations],
  );
  return rows;
}

async function readConsents(pool: pg.Pool, organizations: readonly string[]): Promise<ConsentRow[]> {
  const { rows } = await pool.query<ConsentRow>(
    `select organization_id as "organizationId", event_id as "eventId", receipt_id as "receiptId",
            update_id as "updateId"
     from click.consent_event where organization_id = any($1)`,
    [organizations],
  );
  return rows;
}

async function readOutbox(pool: pg.Pool, organizations: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    "select event_id as id from click.outbox where organization_id = any($1)",
    [organizations],
  );
  return rows.map(({ id }) => id);
}
