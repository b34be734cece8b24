import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import { type Attempt, isOrdered } from "../domain/delivery.ts";
import type { AuditFormat, Endpoint } from "../domain/endpoint.ts";
import { type DeliveryRow, deliveryColumns, deliveryOf, type LoadedDelivery } from "./delivery-store.ts";
import type { SealedSecrets } from "./endpoint-store.ts";
import { type Claimed, usualPlaces } from "./queue-store.ts";

// Both as the role that looks at what is claimed of all organizations. One statement for many of them costs little more
// than for one.

/** What sending needs of an endpoint. */
export type SentTo = Pick<Endpoint, "id" | "kind" | "url" | "auditFormat" | "isEnabled" | "failingSince" | "settings">;

/** A delivery of our own format with its receiver. */
export interface LoadedStandard extends LoadedDelivery {
  /** Undefined when it is gone. */
  readonly endpoint: SentTo | undefined;
  readonly secrets: SealedSecrets | undefined;
}

interface LoadedRow extends DeliveryRow {
  readonly orgId: OrgId;
  readonly claim: string;
  readonly type: string;
  readonly data: string;
  readonly url: string | null;
  readonly auditFormat: AuditFormat | null;
  readonly isEnabled: boolean | null;
  readonly failingSince: Date | null;
  readonly secret: Buffer | null;
  readonly previous: Buffer | null;
  readonly previousUntil: Date | null;
}

/**
 * What was claimed, in the order of the claims: "none" for what belongs to another process by now or is gone, and "other"
 * for what goes to receivers of the compatible interface.
 */
export async function loadManyClaimed(
  sender: pg.Pool,
  claims: readonly Claimed[],
): Promise<(LoadedStandard | "none" | "other")[]> {
  const { rows } = await sender.query<LoadedRow>({
    name: "webhooks-load-many-claimed",
    text: loadSql,
    values: [claims.map(({ orgId }) => orgId), claims.map(({ id }) => id), claims.map(({ claim }) => claim)],
  });
  const byName = new Map(rows.map((row) => [nameOf(row), row]));
  return claims.map((claimed) => {
    const row = byName.get(nameOf(claimed));
    return row === undefined ? "none" : loadedOf(row);
  });
}

const loadSql = `select d.organization_id as "orgId", d.claim, ${deliveryColumns}, e.type, e.data, n.url, n.audit_format as "auditFormat",
    n.is_enabled as "isEnabled", n.failing_since as "failingSince", n.secret, n.previous_secret as previous,
    n.previous_secret_until as "previousUntil"
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as i (organization_id, id, claim)
  join webhooks.delivery d on d.organization_id = i.organization_id and d.id = i.id and d.claim = i.claim
  join webhooks.event e on e.organization_id = d.organization_id and e.id = d.event_id
  left join webhooks.endpoint n on n.organization_id = d.organization_id and n.id = d.endpoint_id
    and n.deleted_at is null`;

function loadedOf(row: LoadedRow): LoadedStandard | "other" {
  const {
    orgId: _org,
    claim: _claim,
    type,
    data,
    url,
    auditFormat,
    isEnabled,
    failingSince,
    secret,
    previous,
    previousUntil,
    ...rest
  } = row;
  const delivery = deliveryOf(rest);
  if (isOrdered(delivery) || delivery.endpointId === undefined) return "other";
  const event = { id: delivery.eventId, type, data, occurredAt: delivery.occurredAt };
  if (url === null || isEnabled === null || secret === null) {
    return { delivery, event, endpoint: undefined, secrets: undefined };
  }
  const endpoint = {
    ...({ id: delivery.endpointId, kind: "standard", url, auditFormat: auditFormat ?? "assent", isEnabled } as const),
    ...{ failingSince: failingSince ?? undefined, settings: undefined },
  };
  const secrets = { current: secret, previous: previous ?? undefined, previousUntil: previousUntil ?? undefined };
  return { delivery, event, endpoint, secrets };
}

/** An attempt that was answered as it should be, at an endpoint that was well before. */
export interface Delivered {
  readonly claimed: Claimed;
  /** How many were made before. */
  readonly attempts: number;
  readonly attempt: Omit<Attempt, "error">;
}

/**
 * Writes down what was delivered under these claims. False for what this does not apply to: the claim is another one by
 * now, the endpoint was failing, or somebody else has the queue locked. Then nothing of it was written.
 */
export async function recordManyDelivered(
  sender: pg.Pool,
  delivered: readonly Delivered[],
  now: Date,
): Promise<boolean[]> {
  const of = <T>(value: (one: Delivered) => T): T[] => delivered.map(value);
  const { rows } = await sender.query<Omit<Claimed, "receiverId">>({
    name: "webhooks-record-many-delivered",
    text: recordSql,
    values: [
      of(({ claimed }) => claimed.orgId),
      of(({ claimed }) => claimed.id),
      of(({ claimed }) => claimed.receiverId),
      of(({ claimed }) => claimed.claim),
      of(({ attempts }) => attempts),
      of(({ attempt }) => attempt.at),
      of(({ attempt }) => attempt.statusCode),
      of(({ attempt }) => attempt.durationMs),
      of(({ attempt }) => attempt.response),
      of(({ attempt }) => attempt.url),
      now,
    ],
  });
  const recorded = new Set(rows.map(nameOf));
  return delivered.map(({ claimed }) => recorded.has(nameOf(claimed)));
}

// The queues are locked before anything is changed, as everywhere, but nobody waits for one: a receiver that is just being
// looked at must not hold up the others. What is read of a queue is as it is once it is locked. If all places were taken,
// one is free now; if not, next_at says already when to look again. A receiver with fewer places than usual was failing.
const recordSql = `with made as materialized (
    select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::integer[], $6::timestamptz[], $7::integer[],
      $8::integer[], $9::text[], $10::text[])
      as m (organization_id, id, receiver_id, claim, attempts, at, status_code, duration_ms, response, url)
  ), line as materialized (
    select q.organization_id, q.receiver_id, q.places, q.is_full from webhooks.queue q
    where (q.organization_id, q.receiver_id) in (select organization_id, receiver_id from made)
    for update skip locked
  ), settled as (
    update webhooks.delivery d set status = 'delivered', attempts = d.attempts + 1, step = d.step + 1, due_at = null,
      delivered_at = $11, claim = null, claimed_until = null
    from made m join line l on l.organization_id = m.organization_id and l.receiver_id = m.receiver_id
    where d.organization_id = m.organization_id and d.id = m.id and d.claim = m.claim and d.attempts = m.attempts
      and l.places >= ${usualPlaces} and not exists (
        select from webhooks.endpoint n
        where n.organization_id = d.organization_id and n.id = d.endpoint_id and n.failing_since is not null
      )
    returning d.organization_id, d.id, d.receiver_id, d.attempts, m.claim
  ), attempt as (
    insert into webhooks.attempt (organization_id, delivery_id, number, at, status_code, duration_ms, error, response, url)
    select s.organization_id, s.id, s.attempts, m.at, m.status_code, m.duration_ms, '', m.response, m.url
    from settled s join made m on m.organization_id = s.organization_id and m.id = s.id
  ), woken as (
    update webhooks.queue q set next_at = least(q.next_at, $11) from line l
    where q.organization_id = l.organization_id and q.receiver_id = l.receiver_id and l.is_full and exists (
      select from settled s where s.organization_id = l.organization_id and s.receiver_id = l.receiver_id
    )
  )
  select organization_id as "orgId", id, claim from settled`;

/** One process may have lost a delivery and claimed it again. */
const nameOf = ({ orgId, id, claim }: Omit<Claimed, "receiverId">): string => `${orgId}/${id}/${claim}`;
