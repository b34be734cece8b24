import type { KeyObject } from "node:crypto";
import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import { openBox, sealBox } from "#platform/vault/sealed-box.ts";
import type { SeedVault } from "#platform/vault/seed-vault.ts";
import { type Parameter, recordColumns, type Write } from "./agreement-columns.ts";
import type { AuditEvent } from "./audit-chain.ts";
import { shownBy, shownErased } from "./audit-commitment.ts";
import type { Committed, Disclosed } from "./change.ts";
import { keyName, listSubjectKeys, type SubjectKey, trailKey } from "./subject-keys.ts";

/** What adds events of format 2 to the trail of an agreement, sealed with the keys of those whom they are about. */
export function auditInsertion(
  orgId: OrgId,
  agreementId: string,
  events: readonly AuditEvent[],
  keyOf: (subjectId: string) => KeyObject,
): Write[] {
  if (events.length === 0) return [];
  const boxOf = (sequence: number, subject: string, disclosed: readonly string[]): Box => {
    const texts = disclosed.map((one) => Buffer.from(one, "base64url").toString("utf8"));
    const context = boxContext({ orgId, agreementId, subject, sequence });
    return [subject, sealBox(keyOf(subject), context, texts.join("\n")).toString("base64")];
  };
  const rows = JSON.stringify(events.map((event) => columns.encode(recordOf(event, boxOf))));
  const text = (parameter: Parameter) => `insert into sign.audit_event (organization_id, agreement_id, ${columns.names})
    select ${parameter(orgId)}::uuid, ${parameter(agreementId)}::uuid, ${columns.names}
    from json_to_recordset(${parameter(rows)}::json) as r(${columns.definitions})`;
  return [{ name: "audit", text }];
}

/** The events of an agreement after this sequence number, oldest first, as far as they can be opened. */
export async function listAuditEvents(
  tenant: Tenant,
  vault: SeedVault,
  agreementId: string,
  page: { readonly afterSequence: number; readonly limit: number } = { afterSequence: 0, limit: 2 ** 31 - 1 },
): Promise<AuditEvent[]> {
  const { orgId, client } = tenant;
  const { rows } = await client.query<{ event: Record<string, unknown> }>({
    name: "sign-list-audit",
    text: listSql,
    values: [orgId, agreementId, page.afterSequence, page.limit],
  });
  const records = rows.map(({ event }) => columns.decode(event));
  const isSealed = records.some(({ sd }) => sd !== null);
  const keys = isSealed ? await listSubjectKeys(tenant, agreementId) : [];
  const open = createOpener(vault, { orgId, agreementId }, keys);
  return records.map((record) => eventOf(record, open));
}

/** The JSON texts of the disclosures of a subject, a line each, sealed; in base64. */
type Box = readonly [subject: string, sealed: string];

interface AuditRecord extends Omit<AuditEvent, "actor" | "committed" | "erased"> {
  readonly source: AuditEvent["actor"]["source"];
  readonly actorId: string;
  readonly actorName: string;
  readonly actorEmail: string;
  readonly ip: string;
  readonly userAgent: string;
  /** Digests; null for events of format 1, like sealed. */
  readonly sd: readonly string[] | null;
  readonly sealed: readonly Box[] | null;
  /** Of format 1: whether everything personal was taken from it. */
  readonly isErased: boolean;
}

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
  sd: "jsonb",
  sealed: "jsonb",
  isErased: "boolean",
});

const listSql = `select json_build_object(${columns.members("e")}) as event from sign.audit_event e
  where e.organization_id = $1 and e.agreement_id = $2 and e.sequence > $3 order by e.sequence limit $4`;

function recordOf(
  { actor, details: _, committed, ...event }: AuditEvent,
  boxOf: (sequence: number, subject: string, disclosed: readonly string[]) => Box,
): AuditRecord {
  if (committed === undefined) throw new Error("events of format 1 are not written any more");
  const { details, digests, disclosed } = committed;
  const sealed = [...disclosed].map(([subject, list]) => {
    if (typeof list === "string") throw new Error("what is written is known");
    return boxOf(event.sequence, subject, list);
  });
  const { source, id } = actor;
  const actorId = source === "signer" ? id : "";
  return { ...event, details, source, actorId, ...nobody, sd: digests, sealed, isErased: false };
}

const nobody = { actorName: "", actorEmail: "", ip: "", userAgent: "" };

type Opener = (box: Box, sequence: number) => Disclosed;

function eventOf(record: AuditRecord, open: Opener): AuditEvent {
  const { source, actorId: id, actorName, actorEmail, ip, userAgent, sd, sealed, isErased, ...event } = record;
  if (isErased) return { ...event, ...shownErased({ source, id }, event.details), erased: { details: event.details } };
  if (sd === null) {
    return { ...event, actor: { source, id, name: actorName, email: actorEmail, ip, userAgent } };
  }
  const boxes = sealed ?? [];
  const committed: Committed = {
    details: event.details,
    subjects: boxes.map(([subject]) => subject),
    digests: sd,
    disclosed: new Map(boxes.map((box) => [box[0], open(box, event.sequence)])),
  };
  return { ...event, ...shownBy({ source, id }, committed), committed };
}

function createOpener(
  vault: SeedVault,
  { orgId, agreementId }: { readonly orgId: OrgId; readonly agreementId: string },
  keys: readonly SubjectKey[],
): Opener {
  const stored = new Map(keys.map((key) => [key.id, key]));
  const ready = new Map<string, KeyObject>();
  return ([subject, sealed], sequence) => {
    const wrapped = stored.get(subject)?.seed;
    // A row without a key records an erasure; a missing row does not.
    if (wrapped === null) return "erased";
    if (wrapped === undefined) return "missing";
    try {
      const key = ready.get(subject) ?? trailKey(vault, keyName(orgId, agreementId, subject), wrapped);
      ready.set(subject, key);
      const context = boxContext({ orgId, agreementId, subject, sequence });
      const texts = openBox(key, context, Buffer.from(sealed, "base64")).toString("utf8").split("\n");
      return texts.map((text) => Buffer.from(text).toString("base64url"));
    } catch {
      return "missing";
    }
  };
}

interface BoxPlace {
  readonly orgId: string;
  readonly agreementId: string;
  readonly subject: string;
  readonly sequence: number;
}

/** So that no box can be moved to another event. */
const boxContext = ({ orgId, agreementId, subject, sequence }: BoxPlace): string =>
  `${orgId}/${agreementId}/${subject}/${sequence}`;
