import { addressPattern } from "#platform/db/address-pattern.ts";
import type { Tenant } from "#platform/db/pool.ts";
import type { OldRecord, OldWindow } from "#platform/destroy-tables.ts";

/** How many rows one statement looks at. */
const windowSize = 2_000;

export interface DeliveryWindow {
  /** Those that name the address, and how often. */
  readonly found: readonly { readonly id: string; readonly attempts: number; readonly events: number }[];
  /** Where to go on; undefined at the end. */
  readonly next: string | undefined;
}

const namesIt = (text: string, [email, pattern] = ["$3", "$4"]): string =>
  `(strpos(lower(${text}), ${email}) > 0 and lower(${text}) ~ ${pattern})`;

/** Looks at the next deliveries: at what receivers answered, and at the events. The address is in lower case. */
export async function findDeliveries({ client, orgId }: Tenant, email: string, after: string): Promise<DeliveryWindow> {
  const { rows } = await client.query<{ id: string; attempts: number; events: number }>({
    name: "webhooks-person-window",
    text: `select d.id,
        (select count(*)::int from webhooks.attempt a where a.organization_id = $1 and a.delivery_id = d.id
          and ${namesIt("concat_ws(' ', a.response, a.error, a.url)")}) as attempts,
        (select count(*)::int from webhooks.event e where e.organization_id = $1 and e.id = d.event_id
          and ${namesIt("e.data")}) as events
      from (select id, event_id from webhooks.delivery
        where organization_id = $1 and id > coalesce(nullif($2, ''), '00000000-0000-0000-0000-000000000000')::uuid
        order by id limit ${windowSize}) d order by d.id`,
    values: [orgId, after, email, addressPattern(email)],
  });
  return {
    found: rows.filter(({ attempts, events }) => attempts + events > 0),
    next: rows.length === windowSize ? rows.at(-1)?.id : undefined,
  };
}

/** Endpoints of which the address or the description names it. Those that were deleted go by themselves. */
export async function findEndpoints({ client, orgId }: Tenant, email: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select id from webhooks.endpoint where organization_id = $1 and deleted_at is null
       and ${namesIt("concat_ws(' ', url, description, settings)", ["$2", "$3"])} order by id`,
    [orgId, email, addressPattern(email)],
  );
  return rows.map(({ id }) => id);
}

/** Puts a word in place of the address in what was answered, and in the event that is sent. */
export async function eraseFromDeliveries(
  { client, orgId }: Tenant,
  email: string,
  ids: readonly string[],
): Promise<void> {
  const pattern = addressPattern(email);
  const erased = (text: string): string => `regexp_replace(${text}, $3, 'ERASED', 'gi')`;
  await client.query(
    `update webhooks.attempt set response = ${erased("response")}, error = ${erased("error")}, url = ${erased("url")}
     where organization_id = $1 and delivery_id = any($2)`,
    [orgId, ids, pattern],
  );
  await client.query(
    `update webhooks.event e set data = ${erased("e.data")} from webhooks.delivery d
     where e.organization_id = $1 and d.organization_id = $1 and d.id = any($2) and e.id = d.event_id`,
    [orgId, ids, pattern],
  );
}

// What is still to be sent stays.
const oldSql = "d.organization_id = $1 and d.created_at < $2 and d.due_at is null and d.claim is null";

export async function countOldDeliveries({ orgId, client }: Tenant, before: Date): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count from webhooks.delivery d where ${oldSql}`,
    [orgId, before],
  );
  return rows[0]?.count ?? 0;
}

export interface OldDelivery extends OldRecord {
  readonly createdAt: Date;
}

export const placeOfDelivery = (record: OldRecord): string => {
  const { createdAt, id } = record as OldDelivery;
  return `${createdAt.toISOString()}/${id}`;
};

export async function windowOfOldDeliveries(
  { orgId, client }: Tenant,
  { before, after, limit, withText }: OldWindow,
): Promise<OldDelivery[]> {
  const [time = null, id = null] = after === "" ? [] : after.split("/");
  const { rows } = await client.query<OldDelivery>(
    `select d.id, d.created_at as "createdAt", d.agreement_id as "agreementId", case when $6 then concat_ws(' ',
        (select string_agg(concat_ws(' ', a.response, a.error, a.url), ' ') from webhooks.attempt a
          where a.organization_id = $1 and a.delivery_id = d.id),
        (select e.data from webhooks.event e where e.organization_id = $1 and e.id = d.event_id)) end as text
     from webhooks.delivery d
     where ${oldSql} and ($3::timestamptz is null or (d.created_at, d.id) > ($3, $4::uuid))
     order by d.created_at, d.id limit $5`,
    [orgId, before, time, id, limit, withText],
  );
  return rows;
}

/** Deliveries with their attempts, and events of which there are no others. */
export async function deleteOldDeliveries(
  { orgId, client }: Tenant,
  ids: readonly string[],
  before: Date,
): Promise<void> {
  const { rows } = await client.query<{ eventId: string }>(
    `with picked as materialized (
       select d.id from webhooks.delivery d where ${oldSql} and d.id = any($3) order by d.id for update
     )
     delete from webhooks.delivery d using picked where d.organization_id = $1 and d.id = picked.id
     returning d.event_id as "eventId"`,
    [orgId, before, ids],
  );
  await client.query(
    `delete from webhooks.event e where e.organization_id = $1 and e.id = any($2) and e.created_at < $3
       and not exists (select from webhooks.delivery d where d.organization_id = $1 and d.event_id = e.id)`,
    [orgId, rows.map(({ eventId }) => eventId), before],
  );
}

export async function findPresentDeliveries({ orgId, client }: Tenant, ids: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    "select id from webhooks.delivery where organization_id = $1 and id = any($2)",
    [orgId, ids],
  );
  return rows.map(({ id }) => id);
}
