import type { Event } from "#gen/assent/events/v1/events_pb.ts";
import type { EventTypeInfo } from "./event-type.ts";
import { clickEvents } from "./event-types-click.ts";
import { generationEvents } from "./event-types-generation.ts";
import { signEvents } from "./event-types-sign.ts";
import { webhooksEvents } from "./event-types-webhooks.ts";
/** One for each subject: what is completed may be a generated document or one that was signed. */
export const eventSources: readonly EventTypeInfo[] = [
  ...clickEvents,
  ...signEvents,
  ...generationEvents,
  ...webhooksEvents,
];

/** One for each type. Where two services have events of one type, it is described for both and shown as the first has it. */
export const eventTypes: readonly EventTypeInfo[] = mergeByType(eventSources);

function mergeByType(sources: readonly EventTypeInfo[]): EventTypeInfo[] {
  const types = new Map<string, EventTypeInfo>();
  for (const source of sources) {
    const first = types.get(source.type);
    const description = first && `${first.description} ${source.description}`;
    types.set(source.type, first && description !== undefined ? { ...first, description } : source);
  }
  return [...types.values()];
}

const typesBySubject = new Map(eventSources.map(({ subject, type }) => [subject, type]));
const knownTypes = new Set(eventSources.map(({ type }) => type));

/** Undefined for what integrations are not told of. */
export const publicTypeOf = (subject: string): string | undefined => typesBySubject.get(subject);

export const isEventType = (type: string): boolean => knownTypes.has(type);

/** What the compatible interface calls events of a subject; empty when it has none of the kind. */
export function connectEventsOf(subject: string): readonly string[] {
  if (subject === decisionSubject) return [...decisions.values()];
  const event = connectEvents.get(subject);
  return event === undefined ? [] : [event];
}

/** What the compatible interface calls an event; undefined when it has none of the kind. */
export function connectEventOf({ subject, payload }: Pick<Event, "subject" | "payload">): string | undefined {
  if (subject !== decisionSubject) return connectEvents.get(subject);
  return payload.case === "acceptanceRecorded" ? decisions.get(payload.value.decision) : undefined;
}

/**
 * Configurations that name no events are told of everything about envelopes and templates. What people have agreed to by
 * a click is not what they were made for: it has to be asked for by name.
 */
export const isOnlyByName = (connectEvent: string): boolean => connectEvent.startsWith("click-");

const decisionSubject = "assent.click.acceptance.recorded";
const decisions: ReadonlyMap<string, string> = new Map([
  ["ACCEPT", "click-agreed"],
  ["DECLINE", "click-declined"],
]);

/** What has expired is void there, as it is in answers. */
const connectEvents: ReadonlyMap<string, string> = new Map([
  ...["created", "sent", "resent", "delivered", "completed", "declined", "voided", "deleted"].map(
    (verb) => [`assent.sign.agreement.${verb}`, `envelope-${verb}`] as const,
  ),
  ["assent.sign.agreement.expired", "envelope-voided"],
  ...["sent", "delivered", "completed", "declined"].map(
    (verb) => [`assent.sign.recipient.${verb}`, `recipient-${verb}`] as const,
  ),
  ["assent.sign.recipient.left", "recipient-finish-later"],
  ...["created", "modified", "deleted"].map((verb) => [`assent.sign.template.${verb}`, `template-${verb}`] as const),
]);
