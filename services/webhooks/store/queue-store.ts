import type pg from "pg";
import { type Tenant, withTransaction } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";

/** Requests to an endpoint that may be under way at once. */
export const usualPlaces = 4;

/** A receiver for which something waits. */
export interface QueuedReceiver {
  readonly receiverId: string;
  /** One request at a time, and what is first in line holds the rest. */
  readonly isOrdered: boolean;
}

/**
 * Nobody chooses among what waits for the receiver until the end of the transaction. Whoever changes what waits takes
 * this first, and the row of the endpoint before, if at all.
 */
export async function lockQueue({ orgId, client }: Tenant, { receiverId, isOrdered }: QueuedReceiver): Promise<void> {
  await client.query({
    name: "webhooks-lock-queue",
    text: `insert into webhooks.queue (organization_id, receiver_id, places, is_ordered)
     values ($1, $2, case when $3::boolean then 1 else ${usualPlaces} end, $3)
     on conflict (organization_id, receiver_id) do update set is_ordered = excluded.is_ordered`,
    values: [orgId, receiverId, isOrdered],
  });
}

/** Notes when to look again, from what waits now, and how many places there are from now on. The queue is locked. */
export async function refreshQueue(
  { orgId, client }: Tenant,
  receiverId: string,
  now: Date,
  places?: number,
): Promise<void> {
  const values = [[orgId], [receiverId], now, places];
  await client.query({ name: "webhooks-refresh-queue", text: refreshWithPlacesSql, values });
}

const ofConnect = "(w.connect_id is not null or w.receiver_index is not null)";

// What is claimed counts until it is settled or its lease has run out, and that is when to look for it again.
const refreshSql = (places: string, setSql = "") => `update webhooks.queue q
  set ${setSql} is_full = s.is_full, next_at = case when s.at is not null then greatest(s.at, $3) end
  from (
    select o.organization_id, o.receiver_id, c.count >= ${places} as is_full,
      case when c.count >= ${places} then c.until else least(c.until, case when o.is_ordered then (
        select w.due_at from webhooks.delivery w
        where w.organization_id = o.organization_id and w.receiver_id = o.receiver_id and w.due_at is not null
          and ${ofConnect}
        order by w.sequence limit 1
      ) else (
        select w.due_at from webhooks.delivery w
        where w.organization_id = o.organization_id and w.receiver_id = o.receiver_id and w.due_at is not null
          and w.claim is null
        order by w.due_at, w.sequence limit 1
      ) end) end as at
    from unnest($1::uuid[], $2::uuid[]) as l (organization_id, receiver_id)
    join webhooks.queue o using (organization_id, receiver_id)
    cross join lateral (
      select count(*) as count, min(d.claimed_until) as until from webhooks.delivery d
      where d.organization_id = o.organization_id and d.receiver_id = o.receiver_id and d.claim is not null
    ) c
  ) s
  where q.organization_id = s.organization_id and q.receiver_id = s.receiver_id`;

const refreshNextSql = refreshSql("o.places");
const refreshWithPlacesSql = refreshSql("coalesce($4, o.places)", "places = coalesce($4::integer, q.places),");

// From here on as the role that chooses among the organizations; it sees neither addresses nor contents.

/** A delivery that one process alone may make, while the lease lasts. */
export interface Claimed {
  readonly orgId: OrgId;
  readonly id: string;
  readonly receiverId: string;
  /** Every later write names it: what comes too late meets another claim, or none. */
  readonly claim: string;
}

/** Ordered or not: they are sent side by side, so that those that take long do not hold up the others. */
export async function findDueOrders(claimer: pg.Pool, now: Date): Promise<boolean[]> {
  const { rows } = await claimer.query<{ isOrdered: boolean }>({
    name: "webhooks-find-due-orders",
    text: `select k.is_ordered as "isOrdered" from (values (false), (true)) as k (is_ordered)
     where exists (select from webhooks.queue q where q.is_ordered = k.is_ordered and q.next_at <= $1)`,
    values: [now],
  });
  return rows.map(({ isOrdered }) => isOrdered);
}

export interface Claiming {
  readonly claim: string;
  readonly isOrdered: boolean;
  readonly limit: number;
  readonly now: Date;
  readonly leaseMs: number;
  /** Whether what others have claimed and not renewed is free; not so soon after an outage, in which nobody could. */
  readonly takesLapsed: boolean;
}

/**
 * Claims what is due, of the receivers first that have waited longest to be looked at, and of each no more than it has
 * places. Receivers that somebody else is just looking at are left to them, so nobody waits for anybody.
 */
export function claimDue(claimer: pg.Pool, claiming: Claiming): Promise<{ claimed: Claimed[]; isMore: boolean }> {
  const { claim, isOrdered, limit, now, leaseMs, takesLapsed } = claiming;
  return withTransaction(claimer, async (client) => {
    const line = await lockLine(client, { isOrdered, limit, now });
    if (line.length === 0) return { claimed: [], isMore: false };
    const of = [line.map((one) => one.orgId), line.map((one) => one.receiverId)];
    // A statement of its own: it sees what those have claimed who had the same queues locked before.
    const { rows } = await client.query<Omit<Claimed, "claim">>({
      name: isOrdered ? "webhooks-claim-ordered" : "webhooks-claim-due",
      text: isOrdered ? claimSql(headSql) : claimSql(dueSql),
      values: [...of, now, limit, claim, new Date(now.getTime() + leaseMs), takesLapsed ? now : new Date(0)],
    });
    await client.query({ name: "webhooks-refresh-next", text: refreshNextSql, values: [...of, now] });
    return { claimed: rows.map((row) => ({ ...row, claim })), isMore: line.length === limit || rows.length === limit };
  });
}

async function lockLine(
  client: pg.PoolClient,
  { isOrdered, limit, now }: Pick<Claiming, "isOrdered" | "limit" | "now">,
): Promise<{ orgId: OrgId; receiverId: string }[]> {
  const { rows } = await client.query<{ orgId: OrgId; receiverId: string }>({
    name: "webhooks-lock-line",
    text: `select organization_id as "orgId", receiver_id as "receiverId" from webhooks.queue
     where is_ordered = $1 and next_at <= $2 order by next_at limit $3 for update skip locked`,
    values: [isOrdered, now, limit],
  });
  return rows;
}

const isFree = (row: string): string => `(${row}.claim is null or ${row}.claimed_until <= $7)`;

const dueSql = `select w.organization_id, w.id from webhooks.delivery w
  where w.organization_id = q.organization_id and w.receiver_id = q.receiver_id and w.due_at <= $3 and ${isFree("w")}
  order by w.due_at, w.sequence limit free.places`;

const headSql = `select w.organization_id, w.id from (
    select w.organization_id, w.id, w.due_at, w.claim, w.claimed_until from webhooks.delivery w
    where w.organization_id = q.organization_id and w.receiver_id = q.receiver_id and w.due_at is not null
      and ${ofConnect}
    order by w.sequence limit 1
  ) w
  where w.due_at <= $3 and ${isFree("w")} and free.places > 0`;

// The conditions once more: who gives up what waits holds its rows, and what was waited for does not wait any more.
const claimSql = (chosenSql: string) => `with next as materialized (
    select d.organization_id, d.id
    from unnest($1::uuid[], $2::uuid[]) as l (organization_id, receiver_id)
    join webhooks.queue q using (organization_id, receiver_id)
    cross join lateral (
      select greatest(q.places - count(*), 0) as places from webhooks.delivery c
      where c.organization_id = q.organization_id and c.receiver_id = q.receiver_id and c.claim is not null
        and c.claimed_until > $7
    ) free
    cross join lateral (${chosenSql}) d
    limit $4
  )
  update webhooks.delivery d set claim = $5, claimed_until = $6 from next
  where d.organization_id = next.organization_id and d.id = next.id and d.due_at <= $3 and ${isFree("d")}
  returning d.organization_id as "orgId", d.id, d.receiver_id as "receiverId"`;

/** Keeps claims that their process still works on. What somebody is just writing down needs it no more. */
export async function renewClaims(claimer: pg.Pool, claims: readonly Claimed[], until: Date): Promise<void> {
  await claimer.query({
    name: "webhooks-renew-claims",
    text: `update webhooks.delivery d set claimed_until = $4 from (
       select d.organization_id, d.id from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as h (organization_id, id, claim)
       join webhooks.delivery d using (organization_id, id, claim) for update of d skip locked
     ) held
     where d.organization_id = held.organization_id and d.id = held.id`,
    values: [claims.map(({ orgId }) => orgId), claims.map(({ id }) => id), claims.map(({ claim }) => claim), until],
  });
}

/** How many deliveries are due, counted up to a limit, and since when the first receiver waits to be looked at. */
export async function measureWaiting(
  claimer: pg.Pool,
  now: Date,
): Promise<{ readonly due: number; readonly oldest: Date | undefined }> {
  const { rows } = await claimer.query<{ due: number; oldest: Date | null }>(
    `select (
       select count(*)::integer from (
         select from webhooks.delivery where due_at <= $1 and claim is null limit 100000
       ) waiting
     ) as due, (
       select min(o.at) from (values (false), (true)) as k (is_ordered)
       cross join lateral (
         select q.next_at as at from webhooks.queue q
         where q.is_ordered = k.is_ordered and q.next_at <= $1 order by q.next_at limit 1
       ) o
     ) as oldest`,
    [now],
  );
  return { due: rows[0]?.due ?? 0, oldest: rows[0]?.oldest ?? undefined };
}
