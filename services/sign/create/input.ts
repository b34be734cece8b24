import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { nameReader } from "#api/records.ts";
import {
  type AgreementDefinition,
  type DocumentInput,
  DocumentProblem,
  type RecipientInput,
  type Schedule,
  type CustomField as WireCustomField,
  PdfFields as WireFields,
  type Notification as WireNotification,
  type Pause as WirePause,
  RecipientRole as WireRole,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { defined, parseJsonObject } from "#platform/json-object.ts";
import { momentOf } from "#platform/problems.ts";
import type { JsonObject, Notification, RecipientRole } from "../agreement/agreement.ts";
import {
  type CustomFieldDefinition,
  type Definition,
  type DocumentDefinition,
  type DocumentSource,
  emptyDefinition,
  type RecipientDefinition,
} from "../agreement/definition.ts";
import { wireRoles } from "../agreement/messages.ts";
import { invalid, problem } from "../agreement/problems.ts";
import type { PauseDefinition, Timing } from "../agreement/workflow.ts";
import { parseTabs } from "../edit/tabs.ts";
import { parseChecks } from "../identity/messages.ts";

/**
 * Parses the agreement of a request. Problems name their field as `recipients[0].role`. Throws
 * VALIDATION_FAILED.
 */
export function parseDefinition(message: AgreementDefinition | undefined): Definition {
  if (message === undefined) return emptyDefinition;
  const { emailSubject, emailBlurb, transactionId, name, description, shared } = message;
  return {
    ...defined({ emailSubject, emailBlurb, transactionId, name, description, shared }),
    ...defined({
      notification: message.notification === undefined ? undefined : parseNotification(message.notification),
      brandId: parseBrandId(message.brandId),
      schedule: message.schedule === undefined ? undefined : parseSchedule(message.schedule),
      pauses: message.routing?.pauses.map(parsePause),
      metadata: parseObject("metadata", message.metadataJson, 16 * 1024),
      subscription: parseObject("subscription", message.subscriptionJson, 64 * 1024),
    }),
    documents: message.documents.map(parseDocument),
    recipients: parseRecipients(message.recipients),
    customFields: message.customFields.map(parseCustomField),
  };
}

/** An empty text stands for the default brand; whatever is no id names no brand. */
function parseBrandId(text: string | undefined): string | null | undefined {
  if (text === undefined) return undefined;
  if (text === "") return null;
  if (!isUuid(text)) throw new DomainError("BRAND_NOT_FOUND");
  return text.toLowerCase();
}

/** An empty text removes the stored value. */
function parseObject(field: string, text: string | undefined, maxBytes: number): JsonObject | null | undefined {
  if (text === undefined) return undefined;
  return text === "" ? null : parseJsonObject(field, text, maxBytes);
}

/** Neither of both: it is sent at once. */
const parseSchedule = ({ sendAt, delaySeconds }: Schedule): Timing | null =>
  sendAt === undefined && delaySeconds === undefined
    ? null
    : { at: isoTime(sendAt, "schedule.sendAt"), delaySeconds: delaySeconds ?? null };

const parsePause = ({ beforeRoutingOrder, resumeAt, delaySeconds }: WirePause, index: number): PauseDefinition => ({
  beforeRoutingOrder,
  at: isoTime(resumeAt, `routing.pauses[${index}].resumeAt`),
  delaySeconds: delaySeconds ?? null,
});

const isoTime = (time: Timestamp | undefined, field: string): string | null =>
  time === undefined ? null : momentOf(field, time).toISOString();

export const parseNotification = (message: WireNotification): Partial<Notification> => {
  const { reminderEnabled, reminderDelay, reminderFrequency, expireEnabled, expireAfter, expireWarn } = message;
  return defined({ reminderEnabled, reminderDelay, reminderFrequency, expireEnabled, expireAfter, expireWarn });
};

export function parseDocument(document: DocumentInput): DocumentDefinition {
  const { documentId, name, fileExtension, order, pdfFieldsRecipientId } = document;
  const content = contentOf(document.source);
  const pdfFields = pdfFieldsOf(document.pdfFields) ?? "keep";
  const source = { kind: "file", fileExtension, content, pdfFields, pdfFieldsRecipientId } as const;
  return { documentId, name, ...defined({ order }), source };
}

const pdfFieldsOf = nameReader({
  keep: WireFields.KEEP,
  flatten: WireFields.FLATTEN,
  transform: WireFields.TRANSFORM,
});

function contentOf(source: DocumentInput["source"]): Extract<DocumentSource, { kind: "file" }>["content"] {
  if (source.case === "content") return source.value;
  if (source.case === "uploadId") return { uploadId: source.value.toLowerCase() };
  return source.value === DocumentProblem.INVALID_BASE64 ? "invalid-base64" : "missing";
}

/** Parses recipients. Problems name their field by its list position: `recipients[0].role`. */
export const parseRecipients = (messages: readonly RecipientInput[]): readonly RecipientDefinition[] =>
  messages.map((message, index) => parseRecipient(message, `recipients[${index}]`));

function parseRecipient(message: RecipientInput, field: string): RecipientDefinition {
  const { recipientId, name, email, clientUserId, roleName, routingOrder, note, hostName, hostEmail } = message;
  const { locale, emailSubject, emailBlurb } = message;
  return {
    recipientId,
    ...defined({
      role: parseRole(message.role, field),
      verification: message.verification && parseChecks(message.verification, field),
    }),
    // Spaces around names and addresses come from copying and are never intended.
    ...defined({
      name: name?.trim(),
      email: addressOf(email),
      hostName: hostName?.trim(),
      hostEmail: addressOf(hostEmail),
    }),
    ...defined({ excludedDocuments: message.excludedDocuments && [...new Set(message.excludedDocuments.documentIds)] }),
    ...defined({ clientUserId, roleName: roleName?.trim(), routingOrder, note, locale, emailSubject, emailBlurb }),
    tabs: parseTabs(message.tabs, `${field}.tabs`),
  };
}

/** In one form: people are found by their addresses. */
const addressOf = (email: string | undefined): string | undefined => email?.trim().normalize("NFC");

const roleOf = nameReader(wireRoles);

function parseRole(role: WireRole, field: string): RecipientRole | undefined {
  if (role === WireRole.UNSPECIFIED) return undefined;
  const known = roleOf(role);
  if (known === undefined) throw invalid(problem(`${field}.role`, "ENUM", "must be a known role"));
  return known;
}

export const parseCustomField = ({
  fieldId,
  name,
  value,
  isList,
  items,
  show,
  required,
}: WireCustomField): CustomFieldDefinition => ({
  ...{ fieldId, name, value, items, show, required },
  kind: isList ? "list" : "text",
});
