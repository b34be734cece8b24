import {
  type EventContext,
  type OutboxRecord,
  outboxRecord,
  type EventPayload as Payload,
} from "#platform/outbox/outbox.ts";
import type { Agreement, JsonObject } from "./agreement/agreement.ts";
import type { SignEvent } from "./agreement/change.ts";

/** The outbox record of a change of this agreement. */
export const signRecord = (context: EventContext, agreement: Agreement, event: SignEvent): OutboxRecord =>
  outboxRecord(context, `assent.sign.${event.kind}`, agreement.id, payloadOf(agreement, event));

type EventOf<K extends SignEvent["kind"]> = Extract<SignEvent, { readonly kind: K }>;

/** Typed so that every kind of event must have a payload. */
const payloads: { readonly [K in SignEvent["kind"]]: (agreement: Agreement, event: EventOf<K>) => Payload } = {
  "agreement.created": (agreement) => ({ agreementCreated: basics(agreement) }),
  "agreement.modified": (agreement) => ({ agreementModified: basics(agreement) }),
  "agreement.sent": (agreement) => ({ agreementSent: basics(agreement) }),
  "agreement.delivered": (agreement) => ({ agreementDelivered: basics(agreement) }),
  "agreement.completed": (agreement) => ({ agreementCompleted: basics(agreement) }),
  // Why stands in the agreement alone: it may name people.
  "agreement.declined": (agreement, { recipientId }) => ({
    agreementDeclined: { ...basics(agreement), recipientId },
  }),
  "agreement.voided": (agreement) => ({ agreementVoided: basics(agreement) }),
  "agreement.expired": (agreement) => ({ agreementExpired: basics(agreement) }),
  "agreement.deleted": (agreement) => ({ agreementDeleted: basics(agreement) }),
  "agreement.purged": (agreement) => ({ agreementPurged: basics(agreement) }),
  "agreement.corrected": (agreement) => ({ agreementCorrected: basics(agreement) }),
  "agreement.resent": (agreement) => ({ agreementResent: basics(agreement) }),
  "recipient.sent": (agreement, event) => ({ recipientSent: recipientOf(agreement, event) }),
  "recipient.delivered": (agreement, event) => ({ recipientDelivered: recipientOf(agreement, event) }),
  "recipient.completed": (agreement, event) => ({ recipientCompleted: recipientOf(agreement, event) }),
  "recipient.declined": (agreement, event) => ({ recipientDeclined: recipientOf(agreement, event) }),
  "recipient.left": (agreement, event) => ({ recipientLeft: recipientOf(agreement, event) }),
  "recipient.undelivered": (agreement, event) => ({ recipientUndelivered: recipientOf(agreement, event) }),
  "recipient.locked": (agreement, event) => ({ recipientLocked: recipientOf(agreement, event) }),
  "document.completed": ({ id }, { documentId, sha256 }) => ({
    agreementDocumentCompleted: { agreementId: id, documentId, sha256: sha256.toString("hex") },
  }),
  "template.created": ({ id }) => ({ signTemplateCreated: { templateId: id } }),
  "template.modified": ({ id }) => ({ signTemplateModified: { templateId: id } }),
  "template.deleted": ({ id }) => ({ signTemplateDeleted: { templateId: id } }),
};

const payloadOf = (agreement: Agreement, event: SignEvent): Payload =>
  (payloads[event.kind] as (agreement: Agreement, event: SignEvent) => Payload)(agreement, event);

const basics = ({ id, transactionId, subscription }: Agreement) => ({
  ...{ agreementId: id, transactionId },
  receivers: countReceivers(subscription),
});

const recipientOf = (
  { id, recipients, subscription }: Agreement,
  { recipientId }: { readonly recipientId: string },
) => ({
  agreementId: id,
  recipientId,
  role: recipients.find((recipient) => recipient.id === recipientId)?.role ?? "",
  receivers: countReceivers(subscription),
});

/** Keeps one event of an agreement from becoming a flood of requests. */
const maxReceivers = 50;

/**
 * How many event receivers an agreement's subscription names, up to the limit. The webhooks service reads the
 * same members in the same order: eventNotification, then eventNotifications.
 */
export function countReceivers(subscription: JsonObject | null): number {
  if (subscription === null) return 0;
  const { eventNotification, eventNotifications } = subscription;
  const several = Array.isArray(eventNotifications) ? eventNotifications : [];
  return Math.min([eventNotification, ...several].filter(isObject).length, maxReceivers);
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
