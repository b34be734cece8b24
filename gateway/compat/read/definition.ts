import type { MessageInitShape } from "@bufbuild/protobuf";
import { readCustomFields, readNotification } from "#api/compat-records.ts";
import {
  type AgreementDefinitionSchema,
  type DocumentInputSchema,
  DocumentProblem,
  PdfFields,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { defined } from "#platform/json-object.ts";
import type { OutboundRules } from "#platform/net/outbound-url.ts";
import { filled } from "../../../views/compat/scalars.ts";
import type { DocumentFile } from "../../document-bodies/document-file.ts";
import { readEventData, requireUrl } from "../connect/settings.ts";
import { type HtmlFields, readHtml, withHtmlFields } from "./html-fields.ts";
import type { Reader } from "./reader.ts";
import { readRecipients } from "./recipients.ts";
import { refuseMeaningful, refuseOthers } from "./refuse.ts";
import { readWorkflow } from "./workflow.ts";

export type DefinitionInit = MessageInitShape<typeof AgreementDefinitionSchema>;

/** What is sent beside a definition, and what limits it. */
export interface DefinitionContext {
  readonly files: readonly DocumentFile[];
  /** Which URLs events may be sent to. */
  readonly receiverRules: OutboundRules;
}

/** The own content of an envelope's or template's definition, without the templates that it is made from. */
export function readDefinition(definition: Reader, { files, receiverRules }: DefinitionContext): DefinitionInit {
  refuseMeaningful(definition, refusedOfAll);
  const emailSettings = definition.object("emailSettings");
  if (emailSettings !== undefined) refuseMeaningful(emailSettings, refusedOfMails);
  const fields: HtmlFields = { found: [] };
  const documents = readDocuments(definition, files, fields);
  return defined({
    emailSubject: definition.text("emailSubject"),
    emailBlurb: definition.text("emailBlurb"),
    documents,
    recipients: withHtmlFields(readRecipients(definition.object("recipients")), fields, definition),
    customFields: readCustomFields(definition.object("customFields")),
    notification: readNotification(definition.object("notification")) ?? readExpiry(definition),
    transactionId: definition.text("transactionId"),
    // Clients send every member that they know, empty ones too.
    brandId: filled(definition.text("brandId")?.trim()),
    subscriptionJson: readSubscription(definition, receiverRules),
    ...readWorkflow(definition.object("workflow")),
  });
}

/** Members that must not be ignored: it would be seen by others, or kept in another way. */
const refusedOfAll = [
  ...["enforceSignerVisibility", "attachments", "password", "authoritativeCopy", "is21CFRPart11"],
  ...["allowMarkup", "messageLock", "recipientsLock"],
];
const refusedOfMails = ["bccEmailAddresses", "replyEmailAddressOverride", "replyEmailNameOverride"];

/** Older clients send it next to the subject. */
function readExpiry(definition: Reader): DefinitionInit["notification"] {
  const found = defined({
    expireEnabled: definition.flag("expireEnabled"),
    expireAfter: definition.integer("expireAfter", { min: 0, max: 999 }),
  });
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Where the events of this envelope are sent. */
function readSubscription(definition: Reader, rules: OutboundRules): string | undefined {
  const one = definition.object("eventNotification");
  const several = definition.objects("eventNotifications");
  const all = [...(one === undefined ? [] : [one]), ...several];
  for (const notification of all) checkNotification(notification, rules);
  if (all.length === 0) return undefined;
  return JSON.stringify({
    eventNotification: definition.raw("eventNotification"),
    eventNotifications: several.length === 0 ? undefined : definition.raw("eventNotifications"),
  });
}

function checkNotification(notification: Reader, rules: OutboundRules): void {
  refuseMeaningful(notification, ["includeOAuth", "requireMutualTls", "useSoapInterface"]);
  const eventData = notification.object("eventData");
  if (eventData !== undefined) readEventData(eventData);
  requireUrl(notification, "url", notification.text("url")?.trim(), rules);
}

/** An `EnvelopeTemplate`. Older clients send name, description and shared in an object of their own. */
export function readTemplate(body: Reader, context: DefinitionContext): DefinitionInit {
  const facts = [body, body.object("envelopeTemplateDefinition")];
  const first = <Value>(read: (reader: Reader) => Value | undefined): Value | undefined =>
    facts.map((reader) => (reader === undefined ? undefined : read(reader))).find((value) => value !== undefined);
  return {
    ...readDefinition(body, context),
    ...defined({
      name: first((reader) => reader.text("name")),
      description: first((reader) => reader.text("description")),
      shared: first((reader) => reader.flag("shared")),
    }),
  };
}

/** The ids of the fields of a `CustomFields` object. */
export const readFieldIds = (fields: Reader): string[] =>
  ["textCustomFields", "listCustomFields"].flatMap((property) =>
    fields.objects(property).flatMap((field) => {
      const id = field.text("fieldId")?.trim() ?? "";
      if (id === "") field.problem("fieldId", "REQUIRED", "is required");
      return id === "" ? [] : [id];
    }),
  );

export type DocumentInit = MessageInitShape<typeof DocumentInputSchema>;

/** The `documents` of a definition; their bytes are in these files, and fields in HTML are added to those given. */
export const readDocuments = (reader: Reader, files: readonly DocumentFile[], fields?: HtmlFields): DocumentInit[] =>
  reader.objects("documents").map((document) => readDocument(document, files, fields));

export function readDocument(document: Reader, files: readonly DocumentFile[], fields?: HtmlFields): DocumentInit {
  refuseMeaningful(document, refused);
  refuseOthers(document, "includeInDownload", ["true"]);
  refuseOthers(document, "signerMustAcknowledge", ["no_interaction"]);
  const order = document.integer("order", { min: 0, max: 1_000_000 });
  const html = readHtml(document.object("htmlDefinition"), fields);
  const given = document.text("fileExtension")?.trim() ?? "";
  const extension = given.startsWith(".") ? given.slice(1) : given;
  return {
    documentId: document.text("documentId")?.trim() ?? "",
    name: document.text("name") ?? "",
    ...(order === undefined ? {} : { order }),
    pdfFields: document.flag("transformPdfFields") ? PdfFields.TRANSFORM : PdfFields.KEEP,
    pdfFieldsRecipientId: document.text("assignTabsToRecipientId")?.trim() ?? "",
    ...(html === undefined || document.has("documentBase64") || document.has("remoteUrl")
      ? { fileExtension: extension, source: sourceOf(document, files) }
      : { fileExtension: "html", source: { case: "content", value: new TextEncoder().encode(html) } as const }),
  };
}

/** Members that must not be ignored: the document would look different or be filled in differently. */
const refused = ["tabs", "docGenFormFields", "encryptedWithKeyManager", "documentFields"];

const uploadPattern = /\/chunked_uploads\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/?$/i;

/** documentBase64 was replaced by the index of its file. */
function sourceOf(document: Reader, files: readonly DocumentFile[]): NonNullable<DocumentInit["source"]> {
  const remote = document.text("remoteUrl")?.trim() ?? "";
  if (remote !== "") {
    const uploadId = uploadPattern.exec(remote)?.[1];
    if (uploadId !== undefined) return { case: "uploadId", value: uploadId };
    document.problem("remoteUrl", "NOT_SUPPORTED", "is not supported unless it is the chunkedUploadUri of an upload");
  }
  const index = document.text("documentBase64") ?? "";
  const content = /^\d{1,4}$/.test(index) ? files[Number(index)]?.content : undefined;
  if (content === undefined || content === "missing") return { case: "problem", value: DocumentProblem.MISSING };
  if (content === "invalid-base64") return { case: "problem", value: DocumentProblem.INVALID_BASE64 };
  return { case: "content", value: content };
}
