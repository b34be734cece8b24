import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import { type Parameter, recordColumns, type Write } from "./agreement-columns.ts";
import type { AuditEvent } from "./audit-chain.ts";

/** The write that appends events to an agreement's trail. */
export function auditInsertion(orgId: OrgId, agreementId: string, events: readonly AuditEvent[]): Write[] {
  if (events.length === 0) return [];
  const rows = JSON.stringify(events.map((event) => columns.encode(recordOf(event))));
  const text = (parameter: Parameter) => `insert into sign.audit_event (organization_id, agreement_id, ${columns.names})
    select ${parameter(orgId)}::uuid, ${parameter(agreementId)}::uuid, ${columns.names}
    from json_to_recordset(${parameter(rows)}::json) as r(${columns.definitions})`;
  return [{ name: "audit", text }];
}

/** The events of an agreement after this sequence number, oldest first. */
export async function listAuditEvents(
  { orgId, client }: Tenant,
  agreementId: string,
  page: { readonly afterSequence: number; readonly limit: number } = { afterSequence: 0, limit: 2 ** 31 - 1 },
): Promise<AuditEvent[]> {
  const { rows } = await client.query<{ event: Record<string, unknown> }>({
    name: "sign-list-audit",
    text: listSql,
    values: [orgId, agreementId, page.afterSequence, page.limit],
  });
  return rows.map(({ event }) => eventOf(columns.decode(event)));
}

type AuditRecord = Omit<AuditEvent, "actor"> & {
  readonly source: AuditEvent["actor"]["source"];
  readonly actorId: string;
  readonly actorName: string;
  readonly actorEmail: string;
  readonly ip: string;
  readonly userAgent: string;
};

const columns = recordColumns<AuditRecord>({
  sequence: "integer",
  occurredAt: "timestamptz(3)",
  action: "text",
  source: "text",
  actorId: "text",
  actorName: "text",
  actorEmail: "text",
  ip: "text",
  userAgent: "text",
  details: "jsonb",
  agreementStatus: "text",
  previousHash: "bytea",
  hash: "bytea",
});

const listSql = `select json_build_object(${columns.members("e")}) as event from sign.audit_event e
  where e.organization_id = $1 and e.agreement_id = $2 and e.sequence > $3 order by e.sequence limit $4`;

const recordOf = ({ actor, ...event }: AuditEvent): AuditRecord => ({
  ...event,
  source: actor.source,
  actorId: actor.id,
  actorName: actor.name,
  actorEmail: actor.email,
  ip: actor.ip,
  userAgent: actor.userAgent,
});

function eventOf(record: AuditRecord): AuditEvent {
  const { source, actorId, actorName, actorEmail, ip, userAgent, ...event } = record;
  return { ...event, actor: { source, id: actorId, name: actorName, email: actorEmail, ip, userAgent } };
}
