import { Migration } from "@mikro-orm/migrations";
import { createRoleSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { inboxTablesSql } from "#platform/events/consume.ts";
import { outboxCursorSql, outboxTablesSql } from "#platform/outbox/outbox.ts";

export class Migration001Initial extends Migration {
  override up(): void {
    const statements = [
      ...[writerRole, fanOutRole, claimerRole, senderRole, sweeperRole, relayRole].map(createRoleSql),
      ...outboxTablesSql({ schema: "webhooks", writerRole, relayRole }),
      ...outboxCursorSql({ schema: "webhooks", relayRole }),
      ...inboxTablesSql({ schema: "webhooks", role: writerRole }),
      ...endpointTables,
      ...deliveryTables,
      ...tableNames.flatMap((name) => forceOrgIsolationSql(`webhooks.${name}`)),
      ...writerGrants,
      ...fanOutGrants,
      ...claimerGrants,
      ...senderGrants,
      ...sweeperGrants,
    ];
    for (const statement of statements) this.addSql(statement);
  }
}

/** Acts for one organization at a time. */
const writerRole = "assent_webhooks";
/** Notes for many organizations at once who is to be told of what, and sees neither addresses nor what is sent. */
const fanOutRole = "assent_webhooks_fan_out";
/** Chooses what is sent next among all organizations, and sees neither addresses nor contents. */
const claimerRole = "assent_webhooks_claimer";
/** Reads where and what is sent of what is claimed, and writes down what came of it, of many organizations at once. */
const senderRole = "assent_webhooks_sender";
/** Removes what is old, of all organizations. */
const sweeperRole = "assent_webhooks_sweeper";
const relayRole = "assent_webhooks_relay";

const endpointTables = [
  // An endpoint, or a configuration of the compatible interface: the same machinery serves both.
  `create table webhooks.endpoint (
    organization_id uuid not null,
    id uuid not null,
    kind text not null check (kind in ('standard', 'connect')),
    connect_id integer check (connect_id > 0),
    url text not null,
    description text not null,
    event_types text[] not null,
    is_enabled boolean not null,
    disabled_reason text check (disabled_reason in ('by-request', 'gone', 'failing')),
    disabled_at timestamptz(3),
    failing_since timestamptz(3),
    secret bytea,
    previous_secret bytea,
    previous_secret_until timestamptz(3),
    settings jsonb,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    deleted_at timestamptz(3),
    primary key (organization_id, id),
    unique (organization_id, connect_id),
    check ((kind = 'standard') = (secret is not null)),
    check ((kind = 'connect') = (connect_id is not null and settings is not null)),
    check (is_enabled = (disabled_at is null)),
    check ((disabled_at is null) = (disabled_reason is null)),
    check ((previous_secret is null) = (previous_secret_until is null))
  )`,
  "comment on column webhooks.endpoint.event_types is 'Empty: all of its kind'",
  "comment on column webhooks.endpoint.secret is 'AES-256-GCM under a key derived from the master key'",
  "create index endpoint_newest on webhooks.endpoint (organization_id, created_at desc, id desc) where deleted_at is null",
  "create index endpoint_deleted on webhooks.endpoint (deleted_at) where deleted_at is not null",
  `create table webhooks.connect_secret (
    organization_id uuid not null,
    id uuid not null,
    secret bytea not null,
    created_at timestamptz(3) not null,
    primary key (organization_id, id)
  )`,
  `create table webhooks.idempotency_key (
    organization_id uuid not null,
    key text not null,
    request_hash bytea not null,
    endpoint_id uuid not null,
    created_at timestamptz(3) not null,
    primary key (organization_id, key)
  )`,
  "create index idempotency_key_created on webhooks.idempotency_key (created_at)",
];

const deliveryTables = [
  // As it came on the bus: the bodies are made of it when they are sent, so that nothing personal is kept here.
  `create table webhooks.event (
    organization_id uuid not null,
    id uuid not null,
    type text not null,
    data text not null,
    occurred_at timestamptz(3) not null,
    created_at timestamptz(3) not null,
    primary key (organization_id, id)
  )`,
  "create index event_created on webhooks.event (created_at)",
  // One event on its way to one receiver, whose id is that of an endpoint, or made of an agreement that names one.
  `create table webhooks.delivery (
    organization_id uuid not null,
    id uuid not null,
    sequence bigint generated always as identity,
    event_id uuid not null,
    event_type text not null,
    receiver_id uuid not null,
    endpoint_id uuid,
    connect_id integer,
    agreement_id uuid,
    receiver_index integer,
    status text not null check (status in ('pending', 'delivered', 'failed', 'dead')),
    attempts integer not null default 0,
    step integer not null default 0,
    due_at timestamptz(3),
    claim uuid,
    claimed_until timestamptz(3),
    occurred_at timestamptz(3) not null,
    created_at timestamptz(3) not null,
    delivered_at timestamptz(3),
    primary key (organization_id, id),
    unique (organization_id, receiver_id, event_id),
    check ((claim is null) = (claimed_until is null)),
    check ((status in ('pending', 'failed')) = (due_at is not null)),
    check ((endpoint_id is null) = (receiver_index is not null)),
    check (endpoint_id is not null or agreement_id is not null)
  )`,
  "comment on column webhooks.delivery.step is 'Attempts since it was queued, last by hand or at first: the place in the schedule'",
  `create index delivery_waiting on webhooks.delivery (organization_id, receiver_id, due_at, sequence)
    where due_at is not null`,
  // Where the head of the line holds the rest.
  `create index delivery_in_order on webhooks.delivery (organization_id, receiver_id, sequence)
    where due_at is not null and (connect_id is not null or receiver_index is not null)`,
  `create index delivery_claimed on webhooks.delivery (organization_id, receiver_id) where claim is not null`,
  "create index delivery_newest on webhooks.delivery (organization_id, created_at desc, id desc)",
  "create index delivery_of_endpoint on webhooks.delivery (organization_id, endpoint_id, created_at desc, id desc)",
  `create index delivery_undelivered on webhooks.delivery (organization_id, created_at desc, id desc)
    where status in ('failed', 'dead')`,
  `create index delivery_undelivered_of_endpoint on webhooks.delivery (organization_id, endpoint_id, occurred_at, id)
    where status in ('failed', 'dead')`,
  "create index delivery_of_event on webhooks.delivery (organization_id, event_id)",
  "create index delivery_created on webhooks.delivery (created_at)",
  `create table webhooks.attempt (
    organization_id uuid not null,
    delivery_id uuid not null,
    number integer not null,
    at timestamptz(3) not null,
    status_code integer not null,
    duration_ms integer not null,
    error text not null,
    response text not null,
    url text not null,
    primary key (organization_id, delivery_id, number),
    foreign key (organization_id, delivery_id) references webhooks.delivery (organization_id, id) on delete cascade
  )`,
  // A row for each receiver for which something waits: many that wait for one receiver hide none of another.
  `create table webhooks.queue (
    organization_id uuid not null,
    receiver_id uuid not null,
    places integer not null check (places > 0),
    is_ordered boolean not null,
    is_full boolean not null default false,
    next_at timestamptz(3),
    primary key (organization_id, receiver_id)
  )`,
  "comment on column webhooks.queue.places is 'How many requests to it may be under way at once, of all processes'",
  "comment on column webhooks.queue.is_ordered is 'What is first in line holds the rest, also while it waits'",
  "comment on column webhooks.queue.is_full is 'All places were taken when next_at was noted: look again when one is free'",
  "comment on column webhooks.queue.next_at is 'When it is worth looking for something to send; null for never'",
  "create index queue_next on webhooks.queue (is_ordered, next_at) where next_at is not null",
];

const tableNames = ["endpoint", "connect_secret", "idempotency_key", "event", "delivery", "attempt", "queue"];

const writerGrants = [
  `grant usage on schema webhooks to ${writerRole}`,
  ...tableNames.map((name) => `grant select, insert, update, delete on webhooks.${name} to ${writerRole}`),
];

const fanOutGrants = [
  `grant usage on schema webhooks to ${fanOutRole}`,
  `grant select, insert on webhooks.inbox to ${fanOutRole}`,
  `grant select (organization_id, id, kind, connect_id, event_types, is_enabled, created_at, deleted_at)
    on webhooks.endpoint to ${fanOutRole}`,
  `grant insert, select (organization_id, id) on webhooks.event to ${fanOutRole}`,
  `grant insert, select (organization_id, receiver_id, event_id) on webhooks.delivery to ${fanOutRole}`,
  `grant insert, select (organization_id, receiver_id, next_at), update (next_at) on webhooks.queue to ${fanOutRole}`,
  `create policy fan_out_reads on webhooks.endpoint for select to ${fanOutRole} using (deleted_at is null)`,
  ...["event", "delivery", "queue"].map(
    (table) => `create policy fan_out_all on webhooks.${table} to ${fanOutRole} using (true) with check (true)`,
  ),
];

const claimerGrants = [
  `grant usage on schema webhooks to ${claimerRole}`,
  `grant select (organization_id, id, sequence, receiver_id, status, due_at, claim, claimed_until, attempts, step,
    connect_id, receiver_index),
    update (claim, claimed_until, due_at) on webhooks.delivery to ${claimerRole}`,
  `grant select, update (next_at, is_full) on webhooks.queue to ${claimerRole}`,
  `create policy claimer_all on webhooks.delivery to ${claimerRole} using (true) with check (true)`,
  `create policy claimer_all on webhooks.queue to ${claimerRole} using (true) with check (true)`,
];

const senderGrants = [
  `grant usage on schema webhooks to ${senderRole}`,
  `grant select (organization_id, id, event_id, event_type, receiver_id, endpoint_id, connect_id, agreement_id,
    receiver_index, status, attempts, step, due_at, claim, occurred_at, created_at, delivered_at),
    update (status, attempts, step, due_at, delivered_at, claim, claimed_until) on webhooks.delivery to ${senderRole}`,
  `grant select (organization_id, id, type, data) on webhooks.event to ${senderRole}`,
  `grant select (organization_id, id, url, is_enabled, failing_since, secret, previous_secret, previous_secret_until,
    deleted_at) on webhooks.endpoint to ${senderRole}`,
  `grant insert on webhooks.attempt to ${senderRole}`,
  `grant select (organization_id, receiver_id, places, is_full, next_at), update (next_at)
    on webhooks.queue to ${senderRole}`,
  // A row that is settled has no claim any more, and would not be the role's own with a narrower condition.
  `create policy sender_all on webhooks.delivery to ${senderRole} using (true) with check (true)`,
  `create policy sender_all on webhooks.queue to ${senderRole} using (true) with check (true)`,
  `create policy sender_reads on webhooks.event for select to ${senderRole} using (true)`,
  `create policy sender_reads on webhooks.endpoint for select to ${senderRole} using (deleted_at is null)`,
  `create policy sender_adds on webhooks.attempt for insert to ${senderRole} with check (true)`,
];

const swept = [
  { table: "endpoint", columns: "organization_id, id, deleted_at" },
  { table: "idempotency_key", columns: "organization_id, key, created_at" },
  { table: "event", columns: "organization_id, id, created_at" },
  { table: "delivery", columns: "organization_id, id, created_at, endpoint_id, receiver_id, due_at" },
  { table: "queue", columns: "organization_id, receiver_id, next_at" },
];

const sweeperGrants = [
  `grant usage on schema webhooks to ${sweeperRole}`,
  ...swept.flatMap(({ table, columns }) => [
    `grant select (${columns}), delete on webhooks.${table} to ${sweeperRole}`,
    `create policy sweeper_all on webhooks.${table} to ${sweeperRole} using (true) with check (true)`,
  ]),
];
