import type pg from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import { heldSql } from "./holds.ts";
import type { RetainedStatus } from "./periods.ts";

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

/** Null for what is never due. A shorter period that is to come deletes nothing before it comes. */
const dueSql = `least(${endedSql} + p.days * ${daySql}, greatest(p.next_at, ${endedSql} + p.next_days * ${daySql}))`;

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
  const { rows } = await client.query<Due>(
    `select d.* from sign.retention_period p cross join lateral (
       select ${dueColumns} from sign.agreement a
       where ${overSql} ${removable ? `and not ${heldSql} and not ${busySql}` : ""}
         and ($3::timestamptz is null or (${dueSql}, a.id) > ($3, $4::uuid))
       order by ${endedSql}, a.id limit $5
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
     where p.organization_id = $1 group by p.status order by p.status`,
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
     where p.organization_id = $1 and a.id = $3 and not ${busySql}
     for update of a skip locked`,
    [orgId, now, id],
  );
  return rows[0];
}

/** The organizations that delete anything, in the order of their ids. The pool must connect as the remover. */
export async function listRetaining(removerPool: pg.Pool): Promise<OrgId[]> {
  const { rows } = await removerPool.query<{ id: string }>(
    `select distinct organization_id as id from sign.retention_period
     where days is not null or next_days is not null order by organization_id`,
  );
  return rows.flatMap(({ id }) => parseOrgId(id) ?? []);
}
