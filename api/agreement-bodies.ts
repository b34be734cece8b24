import {
  AgreementDefinitionSchema,
  CustomFieldSchema,
  DocumentInputSchema,
  PdfFields,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import {
  CorrectAgreementRequestSchema,
  PutDocumentsRequestSchema,
  TabsCorrectionSchema,
} from "#gen/assent/sign/v1/sign_pb.ts";
import { notification, recipientsByRole } from "./agreements.ts";
import {
  flag,
  integer,
  type JsonSchema,
  type Kind,
  list,
  named,
  objectInText,
  orNull,
  text,
  time,
  uuid,
} from "./kinds.ts";
import { apart, type CreateOf, optional, required } from "./members.ts";
import { nested, resource } from "./resource.ts";
import { tab, tabChange } from "./tabs.ts";
import { workflowInput } from "./workflow.ts";

/** The beginning of a PDF. */
export const exampleBase64 = "JVBERi0xLjcK";
const words = (max: number) => orNull(text(0, max));

const pdfFieldsMeaning =
  "What becomes of the form fields of a PDF. keep draws them on the page as they look, and refuses scripts; flatten draws them and removes scripts; transform makes them tabs.";

const pdfFields = optional(named(PdfFields, "camel"), {
  default: "keep",
  description: pdfFieldsMeaning,
  example: "transform",
});
const ofSigner = {
  description: "The recipientId of the signer who fills in the form fields. Default: the first signer.",
  example: "1",
};
/** Of a document that is sent as its bytes. */
export const documentFields = resource(DocumentInputSchema, {
  pdfFields,
  pdfFieldsRecipientId: optional(text(0, 50), ofSigner),
});

export const documentInput = resource(DocumentInputSchema, {
  documentId: optional(words(50), {
    description: "Unique within the agreement. Default: the lowest free number.",
    example: "1",
  }),
  name: required(text(1, 500), { example: "NDA.pdf" }),
  fileExtension: optional(words(20), {
    description: "The file's extension. Default: the extension of the name.",
    example: "pdf",
  }),
  order: optional(orNull(integer(1, 1_000)), { example: 1 }),
  pdfFields,
  pdfFieldsRecipientId: optional(words(50), ofSigner),
  documentBase64: apart<string | null>({
    type: ["string", "null"],
    description: "At most 25 MB, in Base64 without line breaks.",
    examples: [exampleBase64],
  }),
});
/** Several of them. */
export const documentsInput = resource(PutDocumentsRequestSchema, { documents: required(list(nested(documentInput))) });
export type DocumentBody = CreateOf<typeof documentInput.table>;

/** The service takes 100 characters of a name or value, and says so itself. */
const customField = resource(CustomFieldSchema, {
  name: required(text(1, 500, { looser: true }), { example: "orderId" }),
  value: optional(orNull(text(0, 500, { looser: true })), { example: "42" }),
  items: optional(list(text(0, 500)), { null: "both", description: "The choices of a list." }),
  show: optional(flag, { null: "both" }),
  required: optional(flag, {
    null: "both",
    description: "Whether the field must have a value when the agreement is sent.",
  }),
});
type CustomFieldBody = CreateOf<typeof customField.table>;
/** A field with choices is a list. */
const customFieldBody: Kind<unknown, CustomFieldBody> = {
  at: (slot) => ({
    ...nested(customField).at(slot),
    fromJson: (body: CustomFieldBody) => ({ ...customField.create(body), isList: Array.isArray(body.items) }),
  }),
};

/** What agreements and templates have in common. */
const content = {
  emailSubject: optional(words(1_000), { example: "Please sign the NDA" }),
  emailBlurb: optional(words(10_000), { example: "Thank you." }),
  documents: optional(list(nested(documentInput)), { null: "both" }),
  recipients: optional(recipientsByRole, { null: "both" }),
  customFields: optional(list(customFieldBody), { null: "both" }),
  ...notification,
  ...workflowInput,
  brandId: optional(uuid, {
    ...{ null: "both", nullIs: "empty" },
    description: "The brand of its pages and emails; null for the organization's default brand.",
  }),
  metadata: optional(objectInText, {
    at: "metadataJson",
    null: "both",
    description: "Your own data about the agreement, as an object of at most 16 KB.",
    example: { order: "1042" },
  }),
} as const;

const templateId = (description: string) =>
  apart<string | null>({ type: ["string", "null"], format: "uuid", description });

/** A layer of what an agreement is put together from. */
const layer = resource(AgreementDefinitionSchema, { templateId: templateId("An agreement template."), ...content });

export interface CompositionBody {
  readonly layers: readonly CreateOf<typeof layer.table>[];
  readonly document?: DocumentBody | null;
}
const composition: JsonSchema = {
  type: "object",
  properties: {
    layers: {
      type: "array",
      items: layer.schemas.create,
      minItems: 1,
      maxItems: 50,
      description:
        "Later ones override earlier ones. Each is a template, or definitions applied to it: recipients fill a role with their roleName.",
    },
    document: {
      ...documentInput.schemas.create,
      type: ["object", "null"],
      description: "Replace the documents of the templates.",
    },
  },
  required: ["layers"],
};

export const newAgreement = resource(AgreementDefinitionSchema, {
  status: apart<"created" | "sent" | null>({
    type: ["string", "null"],
    enum: ["created", "sent", null],
    description: "created (the default) makes a draft; sent sends the agreement immediately.",
    examples: ["sent"],
  }),
  ...content,
  templateId: templateId("A template that it begins with; recipients fill the role with their roleName."),
  compositions: apart<readonly CompositionBody[] | null>({
    type: ["array", "null"],
    items: composition,
    maxItems: 50,
    description: "The parts that the agreement combines, in order. Not together with templateId.",
  }),
});
export type NewAgreementBody = CreateOf<typeof newAgreement.table>;

/** Every field may be left out, and then stays. */
export const agreementChanges = resource(AgreementDefinitionSchema, {
  ...content,
  ifModifiedAt: apart<string | null>({
    type: ["string", "null"],
    format: "date-time",
    description: "The modifiedAt of the draft you read. If the draft has changed since, nothing is changed.",
  }),
});

const tabsCorrection = resource(TabsCorrectionSchema, {
  recipientId: required(text(1, 50), { description: "The recipient the fields belong to.", example: "2" }),
  add: optional(list(nested(tab)), { null: "both" }),
  change: optional(list(nested(tabChange)), {
    null: "both",
    description: "Identified by tabId. Absent members stay as they are.",
  }),
  remove: optional(list(uuid), {
    at: "removeTabIds",
    null: "both",
    description: "The tabIds of the fields to remove.",
  }),
});
/** What is to be otherwise in an agreement that was sent. Every field may be left out, and then stays. */
export const correction = resource(CorrectAgreementRequestSchema, {
  ifModifiedAt: optional(orNull(time), {
    description: "The modifiedAt of the agreement you read. If the agreement has changed since, nothing is corrected.",
  }),
  reason: optional(words(2_000), {
    description: "Recorded in the audit trail and the certificate; the first 500 characters are kept.",
    example: "Ben has left the company.",
  }),
  emailSubject: content.emailSubject,
  emailBlurb: content.emailBlurb,
  removeRecipients: optional(list(text(1, 50)), {
    at: "removeRecipientIds",
    null: "both",
    description: "The recipientIds of the recipients to remove. They are removed before others are added.",
    example: ["3"],
  }),
  recipients: optional(recipientsByRole, {
    null: "both",
    description:
      "Recipients whose recipientId exists are changed, and keep absent members; they can't include tabs. Others are added.",
  }),
  tabs: optional(list(nested(tabsCorrection)), {
    null: "both",
    description: "Changes to the fields of recipients who haven't finished.",
  }),
  ...notification,
});

const template = {
  description: optional(words(2_000), { example: "For everyone." }),
  shared: optional(flag, { null: "both" }),
  ...content,
} as const;
export const newSignTemplate = resource(AgreementDefinitionSchema, {
  name: required(text(0, 500), { example: "NDA" }),
  ...template,
});
export const signTemplateChanges = resource(AgreementDefinitionSchema, {
  name: optional(words(500), { example: "NDA" }),
  ...template,
});
/** Whatever a body says of what an agreement or a template is made of. */
export type ContentBody = CreateOf<typeof signTemplateChanges.table>;
