import type pg from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import { heldSql } from "./holds.ts";
import { type RecordKind, type RetainedStatus, recordKinds } from "./periods.ts";

/** An agreement that a period ends for. */
export interface Due {
  readonly id: string;
  readonly status: RetainedStatus;
  readonly createdAt: Date;
  /** What its period counts from. */
  readonly endedAt: Date;
  /** When the period is over. */
  readonly dueAt: Date;
}

/** The index agreement_by_age has exactly this. */
const endedSql = "(case a.status when 'created' then a.modified_at else a.status_changed_at end)";
// Days are 24 hours, whatever the clocks of a place do.
const daySql = "interval '24 hours'";

/** Whether the period `p` of a template still counts at $2: those of the organization take its place at next_at. */
const countsSql = (p: string): string => `(${p}.next_days is not null or ${p}.next_at is null or ${p}.next_at > $2)`;
const ofTemplateSql = `sign.retention_period o where o.organization_id = a.organization_id
  and o.owner_id = a.template_id and o.status = a.status`;

/** Whether the organization's period `p` counts for the agreement `a`, or that of its template takes its place. */
const byOrganizationSql = `(p.owner_id = p.organization_id
  and not exists (select from ${ofTemplateSql} and ${countsSql("o")}))`;
const byTemplateSql = `(p.owner_id = a.template_id and ${countsSql("p")})`;

/** Null for what is never due. A shorter period that is to come deletes nothing before it comes. */
const dueSql = `greatest(
  least(${endedSql} + p.days * ${daySql},
    case when p.next_days is not null then greatest(p.next_at, ${endedSql} + p.next_days * ${daySql}) end),
  (select o.next_at from ${ofTemplateSql} and not ${countsSql("o")}))`;

/** Agreements `a` that the period `p` has ended for at $2, by the index. */
const overSql = `a.organization_id = p.organization_id and a.status = p.status
  and ${endedSql} <= greatest($2::timestamptz - p.days * ${daySql},
    case when p.next_at <= $2 then $2::timestamptz - p.next_days * ${daySql} end)`;

/** What the service still works with: a draft that a batch copies, or a completion that the log has not got yet. */
const busySql = `(exists (select from sign.bulk_batch b
    where b.organization_id = a.organization_id and b.source_id = a.id and b.ended_at is null)
  or exists (select from sign.job j where j.organization_id = a.organization_id and j.agreement_id = a.id
    and j.kind in ('completion', 'evidence')))`;

const dueColumns = `a.id, a.status, a.created_at as "createdAt", ${endedSql} as "endedAt", ${dueSql} as "dueAt"`;

/** A place in the list of what is due. */
export type DuePlace = Pick<Due, "dueAt" | "id">;

interface DuePage {
  readonly until: Date;
  readonly after: DuePlace | undefined;
  readonly limit: number;
}

/** What goes until a moment, first what goes first; without what holds keep and the service works with when asked to. */
export async function listDue(
  { orgId, client }: Tenant,
  { until, after, limit }: DuePage,
  { removable }: { readonly removable: boolean },
): Promise<Due[]> {
  // Each way by its own index. What is shown is in the order in which it goes, even while a template's period ends.
  const branch = (applies: string): string => `(select ${dueColumns} from sign.agreement a
    where ${applies} and ${overSql} ${removable ? `and not ${heldSql} and not ${busySql}` : ""}
      and ($3::timestamptz is null or (${dueSql}, a.id) > ($3, $4::uuid))
    order by ${removable ? endedSql : dueSql}, a.id limit $5)`;
  const { rows } = await client.query<Due>(
    `select d.* from sign.retention_period p cross join lateral (
       ${branch(byOrganizationSql)} union all ${branch(byTemplateSql)}
     ) d where p.organization_id = $1 order by d."dueAt", d.id limit $5`,
    [orgId, until, after?.dueAt ?? null, after?.id ?? null, limit],
  );
  return rows;
}

export async function countDue(
  { orgId, client }: Tenant,
  until: Date,
): Promise<{ status: RetainedStatus; agreements: number }[]> {
  const { rows } = await client.query<{ status: RetainedStatus; agreements: number }>(
    `select p.status, count(*)::integer as agreements from sign.retention_period p join sign.agreement a on ${overSql}
     where p.organization_id = $1 and (${byOrganizationSql} or ${byTemplateSql}) group by p.status order by p.status`,
    [orgId, until],
  );
  return rows;
}

/** What of an agreement stands in what remains of it. */
export interface Doomed extends Due {
  readonly transactionId: string;
  readonly trailHead: Buffer;
  readonly trailLength: number;
}

/** Locks it when it is still due; undefined when it is not, or somebody works with it. */
export async function lockDue({ orgId, client }: Tenant, id: string, now: Date): Promise<Doomed | undefined> {
  const { rows } = await client.query<Doomed>(
    `select ${dueColumns}, a.transaction_id as "transactionId", a.audit_hash as "trailHead",
       a.audit_count as "trailLength"
     from sign.retention_period p join sign.agreement a on ${overSql}
     where p.organization_id = $1 and a.id = $3 and (${byOrganizationSql} or ${byTemplateSql}) and not ${busySql}
     for update of a skip locked`,
    [orgId, now, id],
  );
  return rows[0];
}

/** Of the period `p`, as it holds at $2: what is announced can be taken back. */
const daysNowSql = "(case when p.next_at <= $2 then p.next_days else p.days end)";

/**
 * Until when a period keeps an agreement at least, null for ever; undefined when none does. What a template keeps for ever
 * was said to be kept; of what an organization has no period for, nothing was said.
 */
export async function keptUntil({ orgId, client }: Tenant, id: string, now: Date): Promise<Date | null | undefined> {
  const { rows } = await client.query<Pick<Due, "dueAt"> | { readonly dueAt: null }>(
    `select ${endedSql} + ${daysNowSql} * ${daySql} as "dueAt" from sign.retention_period p
     join sign.agreement a on a.organization_id = p.organization_id and a.status = p.status
     where p.organization_id = $1 and a.id = $3
       and ((${byOrganizationSql} and ${daysNowSql} is not null) or ${byTemplateSql})`,
    [orgId, now, id],
  );
  const [row] = rows;
  if (row === undefined || (row.dueAt !== null && row.dueAt <= now)) return undefined;
  return row.dueAt;
}

/** The organizations that delete anything, in the order of their ids. The pool must connect as the remover. */
export async function listRetaining(removerPool: pg.Pool): Promise<OrgId[]> {
  const { rows } = await removerPool.query<{ id: string }>(
    `select distinct organization_id as id from sign.retention_period
     where days is not null or next_days is not null order by organization_id`,
  );
  return rows.flatMap(({ id }) => parseOrgId(id) ?? []);
}

/**
 * The kinds of records that organizations have said of how long they are kept, by organization and kind. While there are legal
 * holds, the webhooks service leaves old deliveries to us.
 */
export async function listKeptKinds(removerPool: pg.Pool): Promise<{ orgId: OrgId; kind: RecordKind }[]> {
  const { rows } = await removerPool.query<{ id: string; kind: RecordKind }>(
    `select organization_id as id, status as kind from sign.retention_period where status = any($1)
     union select organization_id, 'webhooks' from sign.legal_hold where lifted_at is null
     order by id, kind`,
    [recordKinds],
  );
  return rows.flatMap(({ id, kind }) => {
    const orgId = parseOrgId(id);
    return orgId === undefined ? [] : { orgId, kind };
  });
}
