import { addressPattern } from "#platform/db/address-pattern.ts";
import type { Tenant } from "#platform/db/pool.ts";
import type { AuditEvent } from "../agreement/audit-chain.ts";
import { publicDetails } from "../agreement/audit-commitment.ts";
import type { Beside, ErasureItem, Person } from "./plan-erasure.ts";

/** How many agreements one statement looks at: it reads everything that is written in them. */
const windowSize = 200;

export interface Window {
  /** Those in which there is something of the person, or that this erasure has been to. */
  readonly found: readonly string[];
  /** Where to go on; undefined at the end. */
  readonly next: string | undefined;
}

/** Looks at the next agreements and templates, deleted ones as well, in the order of their ids. */
export async function findAgreements(
  { client, orgId }: Tenant,
  { erasureId, person: { email, userRef, emailIndex, userIndex } }: Pick<StartedErasure, "erasureId" | "person">,
  after: string,
): Promise<Window> {
  const { rows } = await client.query<{ id: string; isFound: boolean }>({
    name: "sign-erasure-window",
    text: windowSql,
    values: [orgId, after, windowSize, erasureId, email, userRef, emailIndex, userIndex, email.normalize("NFD")],
  });
  return {
    found: rows.filter(({ isFound }) => isFound).map(({ id }) => id),
    next: rows.length === windowSize ? rows.at(-1)?.id : undefined,
  };
}

const ofAgreement = "organization_id = a.organization_id and agreement_id = a.id";
const naming = (text: string): string =>
  `($5 <> '' and (strpos(lower(${text}), $5) > 0 or ($9 <> $5 and strpos(lower(${text}), $9) > 0)))`;

const windowSql = `select a.id, coalesce(
    ${naming("a::text")}
    or exists (select from sign.erasure_report r where r.organization_id = $1 and r.erasure_id = $4 and r.target_id = a.id)
    or exists (select from sign.subject_key k where k.${ofAgreement} and (k.email_index = $7 or k.user_index = $8))
    or exists (select from sign.recipient p where p.${ofAgreement} and (p.client_user_id = nullif($6, '') or ${naming("p::text")}))
    or exists (select from sign.custom_field f where f.${ofAgreement} and ${naming("f::text")})
    or exists (select from sign.document d where d.${ofAgreement} and ${naming("d.name")})
    or exists (select from sign.attachment t where t.${ofAgreement} and ${naming("t.file_name")})
    or exists (select from sign.view v where v.${ofAgreement} and ${naming("v.return_url")})
    or exists (select from sign.job j where j.${ofAgreement} and (${naming("j.last_error")} or ${naming("j.payload::text")}))
    or exists (select from sign.audit_event e where e.${ofAgreement} and e.sd is null and not e.is_erased and ${naming("e::text")}),
    false) as "isFound"
  from (select * from sign.agreement where organization_id = $1 and id > coalesce(nullif($2, ''), '00000000-0000-0000-0000-000000000000')::uuid
    order by id limit $3) a order by a.id`;

/** For how long requests can be repeated. */
const retryDays = 7;

export async function findBeside(
  { client, orgId }: Tenant,
  agreementId: string,
  recipientIds: readonly string[],
  { email }: Person,
): Promise<Beside> {
  const { rows } = await client.query<Beside>({
    name: "sign-erasure-beside",
    text: `select
      array(select id from sign.job where ${here} and kind = 'mail'
        and (payload ->> 'recipientId' = any($4) or ${namesIt("payload::text")})) as "mailJobs",
      array(select id from sign.job where ${here} and ${namesIt("last_error")}) as "jobErrors",
      (select count(*)::int from sign.view where ${here}
        and (recipient_id = any($4::uuid[]) or ${namesIt("return_url")})) as links,
      array(select id from sign.attachment where ${here} and file_name <> 'ERASED'
        and (recipient_id = any($4::uuid[]) or ${namesIt("file_name")})) as "attachmentIds",
      (select count(*)::int from sign.attachment where ${here}) as attachments,
      exists (select from sign.progress where ${here} and recipient_id = any($4::uuid[])) as "hasProgress",
      array(select to_char(created_at at time zone 'UTC' + interval '${retryDays} days', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        from sign.idempotency_key where ${here} and ${namesIt("key")}) as "retryKeysUntil"`,
    values: [orgId, agreementId, email, recipientIds, addressPattern(email)],
  });
  const [beside] = rows;
  if (beside === undefined) throw new Error("one row is answered");
  return beside;
}

const here = "organization_id = $1 and agreement_id = $2";
const namesIt = (text: string): string => `$3 <> '' and strpos(lower(${text}), $3) > 0 and lower(${text}) ~ $5`;

/** Takes away what findBeside found. */
export async function eraseBeside(
  { client, orgId }: Tenant,
  agreementId: string,
  recipientIds: readonly string[],
  { email }: Person,
  { mailJobs, jobErrors, attachmentIds }: Beside,
): Promise<void> {
  const run = (sql: string, ...values: unknown[]) => client.query(sql, [orgId, ...values]);
  await run(
    "update sign.attachment set file_name = 'ERASED' where organization_id = $1 and id = any($2)",
    attachmentIds,
  );
  await run(
    `delete from sign.view where ${here} and (recipient_id = any($4::uuid[]) or ${namesIt("return_url")})`,
    ...[agreementId, email, recipientIds, addressPattern(email)],
  );
  await run(
    "delete from sign.progress where organization_id = $1 and agreement_id = $2 and recipient_id = any($3)",
    agreementId,
    recipientIds,
  );
  await run("delete from sign.job where organization_id = $1 and id = any($2)", mailJobs);
  await run("update sign.job set last_error = '' where organization_id = $1 and id = any($2)", jobErrors);
}

export async function eraseSeeds(
  { client, orgId }: Tenant,
  agreementId: string,
  ids: readonly string[],
): Promise<void> {
  await client.query(`update sign.subject_key set seed = null where ${here} and id = any($3)`, [
    orgId,
    agreementId,
    ids,
  ]);
}

/** Leaves nothing personal of events of format 1; answers them as they will be read. */
export async function eraseEvents(
  { client, orgId }: Tenant,
  agreementId: string,
  events: readonly AuditEvent[],
): Promise<AuditEvent[]> {
  const erased = events.map((event) => ({ ...event, erased: { details: publicDetails(event.details) } }));
  const rows = erased.map(({ sequence, erased: { details } }) => ({ sequence, details }));
  await client.query(
    `update sign.audit_event e set is_erased = true, actor_name = '', actor_email = '', ip = '', user_agent = '',
       actor_id = case e.source when 'signer' then e.actor_id else '' end, details = r.details
     from json_to_recordset($3::json) as r(sequence integer, details jsonb)
     where e.organization_id = $1 and e.agreement_id = $2 and e.sequence = r.sequence`,
    [orgId, agreementId, JSON.stringify(rows)],
  );
  return erased;
}

/** While an agreement that was deleted is changed; it is locked, so nobody sees it. */
export async function setDeleted({ client, orgId }: Tenant, agreementId: string, at: Date | null): Promise<void> {
  await client.query("update sign.agreement set deleted_at = $3 where organization_id = $1 and id = $2", [
    ...[orgId, agreementId, at],
  ]);
}

/** Locks an agreement, whatever became of it. */
export async function lockAgreement({ client, orgId }: Tenant, id: string): Promise<{ deletedAt: Date | null }> {
  const { rows } = await client.query<{ deletedAt: Date | null }>(
    `select deleted_at as "deletedAt" from sign.agreement where organization_id = $1 and id = $2 for update`,
    [orgId, id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`agreement ${id} is gone`);
  return row;
}

export interface StartedErasure {
  readonly erasureId: string;
  readonly person: Person;
  readonly ground: string;
  readonly clientId: string;
  readonly requestId: string;
  readonly now: Date;
}

/** Notes the erasure, once; false when the id is that of another person's. */
export async function noteErasure(
  { client, orgId }: Tenant,
  { erasureId, person, ground, clientId, requestId, now }: StartedErasure,
): Promise<boolean> {
  const { emailIndex, userIndex } = person;
  await client.query(
    `insert into sign.erasure (organization_id, id, email_index, user_index, ground, asked_by, request_id, started_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [orgId, erasureId, emailIndex, userIndex, ground, clientId, requestId, now],
  );
  const { rowCount } = await client.query(
    `select from sign.erasure where organization_id = $1 and id = $2 and ground = $5
       and email_index is not distinct from $3::bytea and user_index is not distinct from $4::bytea`,
    [orgId, erasureId, emailIndex, userIndex, ground],
  );
  return rowCount === 1;
}

export async function findReport(
  { client, orgId }: Tenant,
  erasureId: string,
  targetId: string,
): Promise<readonly ErasureItem[] | undefined> {
  const { rows } = await client.query<{ items: ErasureItem[] }>(
    "select items from sign.erasure_report where organization_id = $1 and erasure_id = $2 and target_id = $3",
    [orgId, erasureId, targetId],
  );
  return rows[0]?.items;
}

/** False when there is one already. */
export async function insertReport(
  { client, orgId }: Tenant,
  { erasureId, now }: StartedErasure,
  targetId: string,
  items: readonly ErasureItem[],
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into sign.erasure_report (organization_id, erasure_id, target_id, items, erased_at)
     values ($1, $2, $3, $4, $5) on conflict do nothing`,
    [orgId, erasureId, targetId, JSON.stringify(items), now],
  );
  return rowCount === 1;
}
