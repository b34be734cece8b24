import type { AuditAction } from "#api/audit-actions.ts";
import { type AuditParty, auditRecord } from "#api/audit-actions.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import { insertOutbox, insertOutboxEm, type OutboxRecord } from "#platform/outbox/outbox.ts";
import { type AuditEntry, type Named, operator } from "../domain/audit.ts";
import { hasRole, type UserRole } from "../domain/user.ts";

export interface StoredAuditEvent {
  readonly id: string;
  readonly at: Date;
  readonly action: AuditAction;
  readonly actorId: string;
  readonly actorName: string;
  readonly subjectId: string;
  readonly subjectName: string;
  readonly details: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly ip: string;
  readonly userAgent: string;
}

const columns =
  "organization_id, event_id, at, action, actor_id, actor_name, subject_id, subject_name, details, request_id, ip, user_agent";

const insertEvent = (mark: (n: number) => string): string =>
  `insert into auth.audit_event (${columns}) values (${columns.split(",").map((_, i) => mark(i + 1))})`;

const valuesOf = (orgId: OrgId, { id, at, action, actor, subject, details, origin }: AuditEntry): unknown[] => [
  ...[orgId, id, at, action, actor.id, actor.name, subject.id, subject.name, JSON.stringify(details)],
  ...[origin.requestId, origin.ip, origin.userAgent],
];

/** Builds the audit entry once the action is known to have happened. */
export type AuditOf = (action: AuditAction, subject: Named) => AuditEntry;

/** Adds to the trail, and tells others of it by an event, in the transaction of the recorded action. */
export async function addAudit({ orgId, client }: Tenant, entry: AuditEntry): Promise<void> {
  await client.query(
    insertEvent((n) => `$${n}`),
    valuesOf(orgId, entry),
  );
  await insertOutbox(client, "auth", [recordOf(orgId, entry)]);
}

/** The same in a transaction of the ORM, which a user who has lost the role for it meanwhile does not get to commit. */
export async function addAuditWith(tenant: OrmTenant, entry: AuditEntry): Promise<void> {
  if (entry.leastRole !== undefined) await requireRoleUntilCommit(tenant, entry.actor.id, entry.leastRole);
  await tenant.em.execute(
    insertEvent(() => "?"),
    valuesOf(tenant.orgId, entry),
    "run",
  );
  await insertOutboxEm(tenant.em, "auth", [recordOf(tenant.orgId, entry)]);
}

/** The event has the id of the line, and names and addresses stay in it. */
function recordOf(orgId: OrgId, entry: AuditEntry): OutboxRecord {
  const { id: eventId, at: now, action, subject, details: changes, origin } = entry;
  const caller = { orgId, requestId: origin.requestId, traceparent: "" };
  return auditRecord({ caller, eventId, now }, { action, actor: partyOf(entry), targetId: subject.id, changes });
}

/** Nobody has proven who they are who asks for a new password; what no request leads to is the system's own doing. */
function partyOf({ actor, origin }: AuditEntry): AuditParty {
  if (actor.id === operator.id) return { kind: "operator", id: "" };
  if (actor.id !== "") return { kind: isUuid(actor.id) ? "user" : "client", id: actor.id };
  return { kind: origin.requestId === "" ? "system" : "anonymous", id: "" };
}

// Changes of the user wait until the transaction ends.
const holdRole = `
  select role from auth.user_account where organization_id = ? and user_id = ? and status = 'active' for share`;

async function requireRoleUntilCommit({ orgId, em }: OrmTenant, userId: string, least: UserRole): Promise<void> {
  const [user] = await em.execute<{ role: UserRole }[]>(holdRole, [orgId, userId]);
  if (user === undefined) throw new DomainError("SESSION_ENDED");
  if (!hasRole(user.role, least)) throw new DomainError("INSUFFICIENT_SCOPE");
}

// The ids of events are times first, so their order is that of the events.
const selectEvents = `
  select event_id as id, at, action, actor_id as "actorId", actor_name as "actorName", subject_id as "subjectId",
    subject_name as "subjectName", details, request_id as "requestId", ip, user_agent as "userAgent"
  from auth.audit_event
  where organization_id = $1 and ($2::uuid is null or event_id < $2)
  order by event_id desc
  limit $3`;

/** Newest first, those before an event. */
export async function listAudit(
  { orgId, client }: Tenant,
  page: { readonly before: string | null; readonly limit: number },
): Promise<StoredAuditEvent[]> {
  return (await client.query<StoredAuditEvent>(selectEvents, [orgId, page.before, page.limit])).rows;
}
