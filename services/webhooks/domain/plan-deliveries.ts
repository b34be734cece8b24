import { createHash } from "node:crypto";
import type { Event } from "#gen/assent/events/v1/events_pb.ts";
import type { NewId } from "#platform/ids.ts";
import type { NewDelivery } from "./delivery.ts";
import type { Endpoint } from "./endpoint.ts";
import { isOnlyByName } from "./event-types.ts";
import { allAuditTypes, isAuditType } from "./event-types-audit.ts";

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
