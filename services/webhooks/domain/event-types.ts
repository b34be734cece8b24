import type { Event } from "#gen/assent/events/v1/events_pb.ts";
import { clickEvents } from "./event-types-click.ts";
import { allAuditTypes, auditEvents, webhooksEvents } from "./event-types-others.ts";
import { signEvents } from "./event-types-sign.ts";
import type { EventTypeInfo } from "./problems.ts";

const documentId = "0198f3a1-7c00-7000-8000-000000000050";
const templateId = "0198f3a1-7c00-7000-8000-000000000051";
const batchId = "0198f3a1-7c00-7000-8000-000000000052";

const generationEvents: readonly EventTypeInfo[] = [
  {
    type: "document.completed",
    subject: "assent.docgen.document.completed",
    description: "A document was generated and can be downloaded.",
    example: {
      document: {
        id: documentId,
        templateId,
        version: 3,
        batchId: null,
        pages: 4,
        bytes: 37_920,
        sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        contentUrl: `/v1/gen/documents/${documentId}/content`,
      },
    },
  },
  {
    type: "document.failed",
    subject: "assent.docgen.document.failed",
    description: "A document couldn't be generated.",
    example: {
      document: { id: documentId, templateId, version: 3, batchId, error: { code: "render_failed" } },
    },
  },
  {
    type: "batch.completed",
    subject: "assent.docgen.batch.completed",
    description: "Every item of a batch is completed, failed or canceled.",
    example: {
      batch: {
        id: batchId,
        status: "completed_with_errors",
        counts: { total: 100, completed: 98, failed: 2, cancelled: 0 },
      },
    },
  },
];

const exportId = "0198f3a1-7c00-7000-8000-000000000061";
const exportEvents: readonly EventTypeInfo[] = [
  {
    type: "export.ended",
    subject: "assent.auth.export.ended",
    description: "An export was completed, or given up after a day. Download it with a credential.",
    example: {
      export: {
        id: exportId,
        kind: "acceptances",
        status: "completed",
        scheduleId: "0198f3a1-7c00-7000-8000-000000000062",
        format: "csv",
        parts: 1,
        bytes: 482_133,
        expiresAt: "2026-11-28T00:00:09.000Z",
        contentUrl: `/v1/privacy/exports/${exportId}/content`,
      },
    },
  },
];

/** One for each subject: what is completed may be a generated document or one that was signed. */
export const eventSources: readonly EventTypeInfo[] = [
  ...clickEvents,
  ...signEvents,
  ...generationEvents,
  ...webhooksEvents,
  ...exportEvents,
  ...auditEvents,
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

/** Undefined for internal events. */
export const publicTypeOf = (subject: string): string | undefined => typesBySubject.get(subject);

/** What an endpoint may ask for. */
export const isEventType = (type: string): boolean => type === allAuditTypes || knownTypes.has(type);

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
 * Configurations that name no events receive everything about envelopes and templates. Click decisions have to
 * be requested by name.
 */
export const isOnlyByName = (connectEvent: string): boolean => connectEvent.startsWith("click-");

const decisionSubject = "assent.click.acceptance.recorded";
const decisions: ReadonlyMap<string, string> = new Map([
  ["ACCEPT", "click-agreed"],
  ["DECLINE", "click-declined"],
]);

/** What has expired is void there, as it is in answers. */
const connectEvents: ReadonlyMap<string, string> = new Map([
  ...["created", "sent", "corrected", "resent", "delivered", "completed", "declined", "voided", "deleted"].map(
    (verb) => [`assent.sign.agreement.${verb}`, `envelope-${verb}`] as const,
  ),
  ["assent.sign.agreement.expired", "envelope-voided"],
  ["assent.sign.agreement.purged", "envelope-purge"],
  ...["sent", "delivered", "completed", "declined"].map(
    (verb) => [`assent.sign.recipient.${verb}`, `recipient-${verb}`] as const,
  ),
  ["assent.sign.recipient.left", "recipient-finish-later"],
  ["assent.sign.recipient.undelivered", "recipient-autoresponded"],
  ["assent.sign.recipient.locked", "recipient-authenticationfailed"],
  ...["created", "modified", "deleted"].map((verb) => [`assent.sign.template.${verb}`, `template-${verb}`] as const),
]);
