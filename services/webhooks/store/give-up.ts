import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";

/** So many rows, one statement never runs into its time limit. */
const batchLength = 1_000;

/**
 * Nothing that waits for the receiver is sent any more. The caller has made sure that nothing new is added: it has the
 * row of the endpoint locked and disables or deletes it. What others have locked is left to them: whoever is about to
 * send it finds the endpoint disabled.
 */
export async function giveUpWaiting(client: pg.PoolClient, orgId: OrgId, receiverId: string): Promise<number> {
  let total = 0;
  let last: Last = { count: 0, dueAt: null, sequence: null };
  do {
    const { rows } = await client.query<Last>({
      name: "webhooks-give-up",
      text: giveUpSql,
      values: [orgId, receiverId, last.dueAt, last.sequence],
    });
    last = rows[0] ?? { count: 0, dueAt: null, sequence: null };
    total += last.count;
  } while (last.count === batchLength);
  return total;
}

/** Where a batch ended. */
interface Last {
  readonly count: number;
  readonly dueAt: Date | null;
  readonly sequence: string | null;
}

// Goes on behind the last row of the batch before: from the front, each would walk over what the others have changed.
const giveUpSql = `with waiting as materialized (
    select id, due_at, sequence from webhooks.delivery
    where organization_id = $1 and receiver_id = $2 and due_at is not null
      and ($3::timestamptz is null or (due_at, sequence) > ($3, $4::bigint))
    order by due_at, sequence limit ${batchLength} for update skip locked
  ), given_up as (
    update webhooks.delivery d set status = 'dead', due_at = null, claim = null, claimed_until = null
    from waiting where d.organization_id = $1 and d.id = waiting.id
  )
  select (count(*) over ())::integer as count, due_at as "dueAt", sequence from waiting
  order by due_at desc, sequence desc limit 1`;
