import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";

// All of these run as the role that chooses among the organizations, so none of them takes an organization to begin
// with. It sees neither data nor contents: those who have a claim read them as the organization.

/** A document that only one process may render, while the lease lasts. */
export interface Claimed {
  readonly orgId: OrgId;
  readonly id: string;
  /** Every later write names it: a write that is too late finds another claim, or none. */
  readonly claim: string;
  /** How often it was claimed, this time included. */
  readonly attempts: number;
}

type ClaimedRow = Omit<Claimed, "claim">;

const claimingSql = `status = 'rendering', claim = $1, claimed_until = clock_timestamp() + $2 * interval '1 ms',
    attempts = d.attempts + 1, started_at = coalesce(d.started_at, clock_timestamp()),
    slot = case when d.slot = 'taken' then 'spent' else d.slot end`;
const claimedColumns = `d.organization_id as "orgId", d.id, d.attempts`;

/** How it is claimed. */
export interface Claiming {
  readonly claim: string;
  readonly leaseMs: number;
  /** Leaves items of batches alone. */
  readonly singlesOnly: boolean;
  /** Whether to take documents of Word files: any, those of organizations that have none being rendered, or none. */
  readonly words?: "all" | "idle" | "none";
}

/**
 * Claims what is next: single documents before items of batches; among the organizations the one of which the fewest
 * documents are being rendered now, whichever process does it, and of these the one whose turn is longest ago; of its
 * documents the oldest. Takes what nobody else is just taking, so nobody waits for anybody.
 *
 * The organizations with work are found by jumping through the index, about 20 us each, however many documents wait.
 */
export async function claimNext(claimer: pg.Pool, claiming: Claiming): Promise<Claimed | undefined> {
  const { claim, leaseMs, singlesOnly, words = "all" } = claiming;
  const { rows } = await claimer.query<ClaimedRow>({
    name: "docgen-claim-next",
    text: claimNextSql,
    values: [claim, leaseMs, singlesOnly, words],
  });
  return rows[0] && { ...rows[0], claim };
}

const organizationsSql = `organization (id) as (
    (select organization_id from docgen.document where status = 'queued' order by organization_id limit 1)
    union all
    select (
      select d.organization_id from docgen.document d
      where d.status = 'queued' and d.organization_id > o.id order by d.organization_id limit 1
    ) from organization o where o.id is not null
  )`;

const claimNextSql = `with recursive ${organizationsSql},
  -- In the order in which they are tried; the locks are taken one by one, and no more than needed.
  -- Few rows: as many as there are places in the renderers.
  busy as materialized (
    select organization_id, count(*) as documents from docgen.document
    where status = 'rendering' and claimed_until > statement_timestamp() group by organization_id
  ),
  line as materialized (
    select t.organization_id, k.is_item, b.documents is not null as is_busy
    from organization o
    join docgen.turn t on t.organization_id = o.id
    cross join (values (false), (true)) as k (is_item)
    left join busy b on b.organization_id = o.id
    where not (k.is_item and $3::boolean)
    order by k.is_item, coalesce(b.documents, 0), case when k.is_item then t.batch_at else t.single_at end, t.organization_id
  ),
  next as materialized (
    select d.organization_id, d.id, l.is_item
    from line l cross join lateral (
      select w.organization_id, w.id from docgen.document w
      where w.organization_id = l.organization_id and w.status = 'queued' and (w.batch_id is not null) = l.is_item
        and not (w.is_word and ($4::text = 'none' or ($4::text = 'idle' and l.is_busy)))
      order by w.created_at, w.id limit 1 for update skip locked
    ) d
    limit 1
  ),
  turned as (
    update docgen.turn t set
      single_at = case when n.is_item then t.single_at else greatest(t.single_at, clock_timestamp()) end,
      batch_at = case when n.is_item then greatest(t.batch_at, clock_timestamp()) else t.batch_at end
    from next n where t.organization_id = n.organization_id
  )
  update docgen.document d set ${claimingSql}
  from next n where d.organization_id = n.organization_id and d.id = n.id
  returning ${claimedColumns}`;

/** Claims a document whose lease has expired: its process is gone, or too slow to be trusted. */
export async function claimLapsed(claimer: pg.Pool, claiming: Claiming): Promise<Claimed | undefined> {
  const { claim, leaseMs, singlesOnly } = claiming;
  const { rows } = await claimer.query<ClaimedRow>({
    name: "docgen-claim-lapsed",
    text: `with lapsed as materialized (
       select organization_id, id from docgen.document
       where status = 'rendering' and claimed_until < clock_timestamp() and (batch_id is null or not $3::boolean)
       order by claimed_until limit 1 for update skip locked
     )
     update docgen.document d set ${claimingSql}
     from lapsed l where d.organization_id = l.organization_id and d.id = l.id
     returning ${claimedColumns}`,
    values: [claim, leaseMs, singlesOnly],
  });
  return rows[0] && { ...rows[0], claim };
}

/**
 * The limit for postponing a turn: an organization that was slow while no other had work does not fall behind for long.
 */
const longestPutOff = "1 minute";

/**
 * Postpones the organization's turn by the duration of a rendering, so that organizations share time rather than
 * documents.
 */
export async function putOffTurn(
  claimer: pg.Pool,
  { orgId, id }: Pick<Claimed, "orgId" | "id">,
  ms: number,
): Promise<void> {
  const later = (turn: string) =>
    `least(greatest(${turn}, clock_timestamp()) + $3 * interval '1 ms', clock_timestamp() + interval '${longestPutOff}')`;
  await claimer.query(
    `update docgen.turn t set
       single_at = case when d.batch_id is null then ${later("t.single_at")} else t.single_at end,
       batch_at = case when d.batch_id is null then t.batch_at else ${later("t.batch_at")} end
     from docgen.document d
     where d.organization_id = $1 and d.id = $2 and t.organization_id = d.organization_id`,
    [orgId, id, Math.round(ms)],
  );
}

/** Renews the leases of the claims that are still valid, and returns these claims. */
export async function renewClaims(
  claimer: pg.Pool,
  claims: readonly Pick<Claimed, "orgId" | "id" | "claim">[],
  leaseMs: number,
): Promise<Set<string>> {
  const { rows } = await claimer.query<{ claim: string }>(
    `update docgen.document d set claimed_until = clock_timestamp() + $4 * interval '1 ms'
     from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as c (organization_id, id, claim)
     where d.organization_id = c.organization_id and d.id = c.id and d.claim = c.claim
     returning d.claim`,
    [claims.map((one) => one.orgId), claims.map((one) => one.id), claims.map((one) => one.claim), leaseMs],
  );
  return new Set(rows.map(({ claim }) => claim));
}

/** Lets another process take it over at once. The attempt does not count; the slot stays used. */
export async function giveBackClaim(
  claimer: pg.Pool,
  { orgId, id, claim }: Pick<Claimed, "orgId" | "id" | "claim">,
): Promise<void> {
  await claimer.query(
    `update docgen.document set status = 'queued', claim = null, claimed_until = null, attempts = greatest(attempts - 1, 0)
     where organization_id = $1 and id = $2 and claim = $3`,
    [orgId, id, claim],
  );
}

/** How many single documents wait, of this organization and of all; neither is counted further than its limit. */
export async function countWaiting(
  claimer: pg.Pool,
  orgId: OrgId,
  limits: { readonly own: number; readonly all: number },
): Promise<{ readonly own: number; readonly all: number }> {
  const { rows } = await claimer.query<{ own: number; all: number }>({
    name: "docgen-count-waiting",
    text: `with recursive ${organizationsSql},
     waiting as (
       select d.organization_id from organization o cross join lateral (
         select w.organization_id from docgen.document w
         where w.organization_id = o.id and w.status = 'queued' and (w.batch_id is not null) = false limit $3
       ) d limit $3
     )
     select count(*)::integer as all, (
       select count(*)::integer from (
         select from docgen.document w
         where w.organization_id = $1 and w.status = 'queued' and (w.batch_id is not null) = false limit $2
       ) mine
     ) as own from waiting`,
    values: [orgId, limits.own, limits.all],
  });
  return rows[0] ?? { own: 0, all: 0 };
}

/** Documents whose bytes are due for removal, the longest overdue first. */
export async function findExpiring(
  claimer: pg.Pool,
  now: Date,
  limit: number,
): Promise<{ readonly orgId: OrgId; readonly id: string }[]> {
  const { rows } = await claimer.query<{ orgId: OrgId; id: string }>(
    `select organization_id as "orgId", id from docgen.document
     where status = 'completed' and expires_at <= $1 and deleted_at is null order by expires_at, id limit $2`,
    [now, limit],
  );
  return rows;
}
