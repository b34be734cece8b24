import type { AuditAction } from "#api/audit-actions.ts";
import { auditActor, auditRecord } from "#api/audit-actions.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { insertOutbox, type OutboxRecord } from "#platform/outbox/outbox.ts";
import type { JsonObject } from "../agreement/agreement.ts";
import { schema } from "../agreement/write-change.ts";

/** An administrative act about personal data. */
export interface PrivacyAct {
  readonly id: string;
  readonly at: Date;
  readonly action: Extract<
    AuditAction,
    | `${"retention" | "template-retention" | "hold" | "purge" | "file-search"}.${string}`
    | "agreement.purged"
    | "agreement.deleted"
    | "records.deleted"
  >;
  /** Empty for what the service does by itself. */
  readonly actor: string;
  /** UUID of what it was done to. */
  readonly subjectId: string;
  /** Nothing personal. */
  readonly details: JsonObject;
  readonly requestId: string;
}

/** Notes acts, and tells others of each by an event, in the transaction in which they happen. */
export async function insertActs({ orgId, client }: Tenant, acts: readonly PrivacyAct[]): Promise<void> {
  await client.query(
    `insert into sign.privacy_act (organization_id, id, at, action, actor, subject_id, details, request_id)
     select $1, id, at, action, actor, "subjectId", details, "requestId" from json_to_recordset($2::json) as r
       (id uuid, at timestamptz, action text, actor text, "subjectId" uuid, details jsonb, "requestId" text)`,
    [orgId, JSON.stringify(acts)],
  );
  await insertOutbox(
    client,
    schema,
    acts.map((act) => eventOf(orgId, act)),
  );
}

/** The event has the id of the act. */
function eventOf(
  orgId: Tenant["orgId"],
  { id, at, action, actor, subjectId, details, requestId }: PrivacyAct,
): OutboxRecord {
  const context = { caller: { orgId, requestId, traceparent: "" }, eventId: id, now: at };
  const audited = { action, actor: auditActor({ clientId: actor }), targetId: subjectId };
  return auditRecord(context, { ...audited, changes: changesIn(details) });
}

/** Of periods, those that are others now. */
function changesIn({ before, after, ...details }: JsonObject): JsonObject {
  if (!Array.isArray(before) || !Array.isArray(after)) return details;
  const [old, now] = [before, after].map((periods) => new Set(periods.map((period) => JSON.stringify(period))));
  const changed = [
    ...before.filter((one) => !now?.has(JSON.stringify(one))),
    ...after.filter((one) => !old?.has(JSON.stringify(one))),
  ];
  return { ...details, ...Object.fromEntries(changed.map((period) => [(period as { status: string }).status, ""])) };
}

/** What was noted of a deletion of records, by the id of the deletion. */
export async function findRecordsDeleted(
  { orgId, client }: Tenant,
  id: string,
): Promise<{ readonly at: Date; readonly count: number; readonly sha256: string } | undefined> {
  const { rows } = await client.query<{ at: Date; count: number; sha256: string }>(
    `select at, (details ->> 'count')::integer as count, details ->> 'sha256' as sha256 from sign.privacy_act
     where organization_id = $1 and action = 'records.deleted' and subject_id = $2`,
    [orgId, id],
  );
  return rows[0];
}

/** Newest first: ids are in the order in which they were made. */
export async function listActs(
  { orgId, client }: Tenant,
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<PrivacyAct[]> {
  const { rows } = await client.query<PrivacyAct>(
    `select id, at, action, actor, subject_id as "subjectId", details, request_id as "requestId" from sign.privacy_act
     where organization_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`,
    [orgId, before, limit],
  );
  return rows;
}
