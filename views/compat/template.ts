import { customFieldsView, notificationView } from "#api/compat-records.ts";
import { sampleId, sampleTime, tellingOf } from "#api/spelling.ts";
import type { Agreement } from "#gen/assent/sign/v1/agreement_pb.ts";
import { defined } from "#platform/json-object.ts";
import { definedDocumentView } from "./documents.ts";
import type { Included } from "./envelope.ts";
import { recipientsView } from "./recipients.ts";
import { compatTime, filled, flagText, numberText, type Written } from "./scalars.ts";
import { workflowView } from "./workflow.ts";

const uri = `/templates/${sampleId}`;
const uriOf = ({ id }: Agreement): string => `/templates/${id}`;

/** What creating a template answers. */
export const templateSummary = tellingOf<Agreement>({
  templateId: [sampleId, ({ id }) => id],
  name: ["NDA", ({ name }) => name],
  uri: [uri, uriOf],
});

/** What a template says of itself in texts. */
export const templateTexts = tellingOf<Agreement>({
  templateId: [sampleId, ({ id }) => id],
  uri: [uri, uriOf],
  name: ["NDA", ({ name }) => name],
  description: ["For visitors.", ({ description }) => description],
  shared: ["false", ({ shared }) => flagText(shared)],
  brandId: [sampleId, ({ brandId }) => filled(brandId), "sometimes"],
  emailSubject: ["Please sign the NDA", ({ emailSubject }) => emailSubject, "sometimes"],
  emailBlurb: ["", ({ emailBlurb }) => emailBlurb, "sometimes"],
  created: [sampleTime, ({ createdAt }) => compatTime(createdAt)],
  lastModified: [sampleTime, ({ modifiedAt }) => compatTime(modifiedAt), "sometimes"],
  folderId: ["templates", () => "templates"],
  folderName: ["Templates", () => "Templates", "sometimes"],
  documentsUri: [`${uri}/documents`, (agreement) => `${uriOf(agreement)}/documents`, "sometimes"],
  documentsCombinedUri: [`${uri}/documents/combined`, (one) => `${uriOf(one)}/documents/combined`, "sometimes"],
  recipientsUri: [`${uri}/recipients`, (agreement) => `${uriOf(agreement)}/recipients`, "sometimes"],
  customFieldsUri: [`${uri}/custom_fields`, (agreement) => `${uriOf(agreement)}/custom_fields`, "sometimes"],
  notificationUri: [`${uri}/notification`, (agreement) => `${uriOf(agreement)}/notification`, "sometimes"],
  passwordProtected: ["false", () => "false", "sometimes"],
  signingLocation: ["online", () => "online", "sometimes"],
});

export const templateOwner = tellingOf<Agreement>({
  userName: ["Shop backend", ({ sender }) => sender?.name ?? ""],
  userId: [sampleId, ({ organizationId }) => organizationId],
  email: ["sender@example.com", ({ sender }) => filled(sender?.email), "sometimes"],
});

/** A template as lists show it: without its parts, unless they are asked for. */
export const templateListItem = (agreement: Agreement, included: Included): Written =>
  defined({
    ...templateFacts(agreement),
    ...(included.has("documents") ? documentsOf(agreement) : {}),
    ...(included.has("custom_fields") ? { customFields: customFieldsView(agreement.customFields) } : {}),
    ...(included.has("recipients") || included.has("tabs")
      ? { recipients: recipientsView(agreement, included.has("tabs")) }
      : {}),
  });

/** The `EnvelopeTemplate` object with everything that it is made of, but tabs only when they are asked for. */
export const templateView = (agreement: Agreement, included: Included): Written =>
  defined({
    ...templateFacts(agreement),
    ...documentsOf(agreement),
    recipients: recipientsView(agreement, included.has("tabs")),
    customFields: customFieldsView(agreement.customFields),
    notification: notificationView(agreement.notification),
    workflow: agreement.schedule === undefined && agreement.routing === undefined ? undefined : workflowView(agreement),
  });

const templateFacts = (agreement: Agreement) => ({
  ...templateTexts.write(agreement),
  owner: templateOwner.write(agreement),
});

const documentsOf = ({ id, documents }: Agreement) => ({
  documents: documents.map((document) => definedDocumentView(document, `/templates/${id}`)),
  pageCount: numberText(documents.reduce((count, { pages }) => count + pages.length, 0)),
});
