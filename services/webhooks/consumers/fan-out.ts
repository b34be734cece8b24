import { createHash } from "node:crypto";
import { toJsonString } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type pg from "pg";
import { type Event, EventSchema } from "#gen/assent/events/v1/events_pb.ts";
import type { Clock } from "#platform/clock.ts";
import type { EventBus } from "#platform/events/bus.ts";
import type { ConsumerWorker } from "#platform/events/consume.ts";
import { createBatchConsumer, type OrganizationEvents } from "#platform/events/consume-batches.ts";
import type { NewId, OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import type { Tracer } from "#platform/telemetry.ts";
import type { NewDelivery, StoredEvent } from "../domain/delivery.ts";
import type { Endpoint } from "../domain/endpoint.ts";
import { connectEventOf, isOnlyByName, publicTypeOf } from "../domain/event-types.ts";
import { allAuditTypes, isAuditType } from "../domain/event-types-others.ts";
import { listReceivers, type Receiver } from "../store/endpoint-store.ts";
import { type FanOut, insertFanOut } from "../store/fan-out-store.ts";
import { addUses, type UseOfDay, type useKinds } from "../store/use-store.ts";

export interface FanOutDeps {
  readonly pool: pg.Pool;
  /** Connects as the role that notes deliveries of all organizations. */
  readonly fanOutPool: pg.Pool;
  readonly bus: EventBus;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer?: Tracer | undefined;
  /** There may be something to send. */
  wakeDeliveries(): void;
}

/** Hears of everything that happens, counts it, and notes who is to be told of it. */
export const createFanOut = (deps: FanOutDeps): ConsumerWorker =>
  createBatchConsumer({
    bus: deps.bus,
    pool: deps.pool,
    schema: "webhooks",
    durable: "webhooks",
    subjects: ["assent.>"],
    applyBatch: ({ orgId, client }, events) => fanOut(client, [{ orgId, events }], deps),
    across: { pool: deps.fanOutPool, apply: (client, batches) => fanOut(client, batches, deps) },
    onApplied: deps.wakeDeliveries,
    logger: deps.logger,
    metrics: deps.metrics,
    tracer: deps.tracer,
    clock: deps.clock,
  });

/** A few statements, however many organizations, events and receivers there are. */
async function fanOut(
  client: pg.PoolClient,
  batches: readonly OrganizationEvents[],
  { clock, newId }: Pick<FanOutDeps, "clock" | "newId">,
): Promise<void> {
  const wanted = await planWanted(client, batches, newId);
  if (wanted.length > 0) await insertFanOut(client, wanted, clock.now());
  const uses = countUses(batches, wanted);
  if (uses.length > 0) await addUses(client, uses);
}

async function planWanted(
  client: pg.PoolClient,
  batches: readonly OrganizationEvents[],
  newId: NewId,
): Promise<readonly FanOut[]> {
  const told = batches
    .map(({ orgId, events }) => ({ orgId, events: inOrder(events) }))
    .filter(({ events }) => events.length > 0);
  if (told.length === 0) return [];
  const receivers = await listReceivers(
    client,
    told.map(({ orgId }) => orgId),
  );
  return told
    .map(({ orgId, events }) => planAll(orgId, events, receivers.get(orgId) ?? [], newId))
    .filter(({ events }) => events.length > 0);
}

const countedSubjects: ReadonlyMap<string, (typeof useKinds)[number]> = new Map([
  ["assent.click.acceptance.recorded", "acceptances"],
  ["assent.sign.agreement.sent", "agreements"],
  ["assent.docgen.document.completed", "documents"],
]);

/** By organization and day. An event is in a batch that takes effect once, so it counts once. */
function countUses(batches: readonly OrganizationEvents[], wanted: readonly FanOut[]): readonly UseOfDay[] {
  const uses = new Map<string, { -readonly [K in keyof UseOfDay]: UseOfDay[K] }>();
  const add = (orgId: OrgId, at: Date, kind: (typeof useKinds)[number]): void => {
    const day = at.toISOString().slice(0, 10);
    const use = uses.get(`${orgId} ${day}`) ?? {
      orgId,
      day,
      acceptances: 0,
      agreements: 0,
      documents: 0,
      deliveries: 0,
    };
    use[kind] += 1;
    uses.set(`${orgId} ${day}`, use);
  };
  for (const { orgId, events } of batches) {
    for (const event of events) {
      const kind = countedSubjects.get(event.subject);
      if (kind !== undefined) add(orgId, occurredAtOf(event), kind);
    }
  }
  for (const { orgId, deliveries } of wanted) {
    for (const { occurredAt } of deliveries) add(orgId, occurredAt, "deliveries");
  }
  return [...uses.values()];
}

/** Those that somebody may be told of. Batches come in no order; some receivers get the events as they happened. */
const inOrder = (events: readonly Event[]): Named[] =>
  events
    .map(withNames)
    .filter(({ names }) => names.type !== undefined || names.connectEvent !== undefined)
    .sort((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime() || compare(a.event, b.event));

function planAll(orgId: OrgId, events: readonly Named[], receivers: readonly Receiver[], newId: NewId): FanOut {
  const planned = events.map((one) => ({ ...one, deliveries: planDeliveries({ ...one, receivers, newId }) }));
  const wanted = planned.filter(({ deliveries }) => deliveries.length > 0);
  return { orgId, events: wanted.map(storedEvent), deliveries: wanted.flatMap((one) => one.deliveries) };
}

interface Named {
  readonly event: Event;
  readonly names: { readonly type: string | undefined; readonly connectEvent: string | undefined };
  readonly occurredAt: Date;
}

const withNames = (event: Event): Named => ({
  event,
  names: { type: publicTypeOf(event.subject), connectEvent: connectEventOf(event) },
  occurredAt: occurredAtOf(event),
});

const occurredAtOf = ({ occurredAt }: Event): Date =>
  occurredAt === undefined ? new Date(0) : timestampDate(occurredAt);

const storedEvent = ({ event, names, occurredAt }: Named): StoredEvent => ({
  id: event.id,
  type: names.type ?? names.connectEvent ?? "",
  data: toJsonString(EventSchema, event),
  occurredAt,
});

const compare = (a: Event, b: Event): number => (a.id < b.id ? -1 : 1);

/** What an event is called, by each kind of receiver. */
export interface EventNames {
  /** Undefined for what integrations are not told of. */
  readonly type: string | undefined;
  /** Of the compatible interface; undefined when it has none of the kind. */
  readonly connectEvent: string | undefined;
}

export interface PlanInput {
  readonly event: Event;
  readonly names: EventNames;
  readonly occurredAt: Date;
  readonly receivers: readonly Pick<Endpoint, "id" | "kind" | "connectId" | "eventTypes">[];
  readonly newId: NewId;
}

/** Who is to be told of an event: endpoints, configurations of the account, and those that the agreement names. */
export function planDeliveries({ event, names, occurredAt, receivers, newId }: PlanInput): NewDelivery[] {
  const common = { eventId: event.id, occurredAt };
  const agreementId = agreementOf(event);
  const planned = receivers.flatMap((receiver): NewDelivery[] => {
    const isConnect = receiver.kind === "connect";
    const eventType = isConnect ? names.connectEvent : names.type;
    if (eventType === undefined || !isAskedFor(receiver.eventTypes, eventType)) return [];
    if (isConnect && isOnlyByName(eventType) && receiver.eventTypes.length === 0) return [];
    const of = { receiverId: receiver.id, endpointId: receiver.id, connectId: receiver.connectId };
    const about = { agreementId: isConnect ? agreementId : undefined, receiverIndex: undefined };
    return [{ ...common, ...of, ...about, id: newId(), eventType }];
  });
  return [...planned, ...ofAgreement(event, names, { ...common, newId })];
}

/** Their settings are read when they are sent to, so what they ask for is not known here. */
function ofAgreement(
  event: Event,
  { connectEvent }: EventNames,
  { newId, ...common }: Pick<NewDelivery, "eventId" | "occurredAt"> & { readonly newId: NewId },
): NewDelivery[] {
  const agreementId = agreementOf(event);
  if (agreementId === undefined || connectEvent === undefined) return [];
  return Array.from({ length: Math.min(receiverCount(event), maxReceivers) }, (_, index) => ({
    ...{ ...common, id: newId(), eventType: connectEvent },
    receiverId: agreementReceiverId(agreementId, index),
    ...{ endpointId: undefined, connectId: undefined, agreementId, receiverIndex: index },
  }));
}

/** More than an agreement names. */
const maxReceivers = 100;

/** The same for every event of the agreement, so that they go to the receiver one after the other. */
export function agreementReceiverId(agreementId: string, index: number): string {
  const hash = createHash("sha256").update(`${agreementId}:${index}`).digest().subarray(0, 16);
  // Version 8 of RFC 9562: made by a rule of one's own.
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  return hash.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Those of the audit trail have to be asked for. */
const isAskedFor = (asked: readonly string[], type: string): boolean =>
  asked.includes(type) || (isAuditType(type) ? asked.includes(allAuditTypes) : asked.length === 0);

function agreementOf({ payload }: Event): string | undefined {
  const { value } = payload;
  return value !== undefined && "agreementId" in value && value.agreementId !== "" ? value.agreementId : undefined;
}

function receiverCount({ payload }: Event): number {
  const { value } = payload;
  return value !== undefined && "receivers" in value ? value.receivers : 0;
}
