import {
  type BatchItem as BatchItemMessage,
  BatchItemSchema,
  BatchSchema,
  BatchStatus,
  type Document as DocumentMessage,
  DocumentSchema,
  DocumentSourceSchema,
  DocumentStatus,
  ListBatchesRequestSchema,
  ListBatchItemsRequestSchema,
  ListDocumentsRequestSchema,
  OutputSchema,
  Profile,
  TemplateRefSchema,
  WarningSchema,
} from "#gen/assent/docgen/v1/docgen_pb.ts";
import { failure } from "./generation-errors.ts";
import {
  bigCount,
  called,
  count,
  described,
  integer,
  languageTag,
  list,
  named,
  objectInText,
  orNull,
  text,
  textsInText,
  time,
  uuid,
} from "./kinds.ts";
import {
  type AnswerOf,
  apart,
  type CreateOf,
  computed,
  optional,
  readOnly,
  required,
  requiredApart,
  together,
} from "./members.ts";
import { nested, resource, shown } from "./resource.ts";

const profile = called(Profile, {
  pdf: Profile.PDF,
  "pdf/a-2a": Profile.PDF_A_2A,
  "pdf/ua-1": Profile.PDF_UA_1,
});
const fileName = { example: "Offer-17.pdf" } as const;

const choiceOfTemplate = {
  templateId: optional(uuid, { description: "A document template. Either this, or templateRef." }),
  version: optional(integer(1, 2_147_483_647), {
    description: "Of templateId: a published version; the latest one when absent.",
    example: 3,
  }),
  templateRef: optional(
    nested(
      resource(TemplateRefSchema, {
        templateId: required(uuid),
        versionId: optional(uuid, { description: "A version; the published one of the locale when absent." }),
        locale: optional(languageTag, { description: "The template's default locale when absent." }),
      }),
    ),
    { description: "A published text of the agreement templates, in place of templateId." },
  ),
} as const;
const data = optional(objectInText, {
  at: "dataJson",
  description: "What the template is filled with, at most 1 MB.",
  example: { number: "17", customer: { name: "Example AG" } },
});
/** What the documents of a batch share, unless they say otherwise. */
const shared = {
  locale: optional(languageTag, { description: "BCP 47; the template's when absent." }),
  timeZone: optional(text(1, 64), { description: "An IANA time zone; UTC when absent.", example: "Europe/Berlin" }),
  output: optional(
    nested(
      resource(OutputSchema, {
        profile: optional(profile, {
          description: "pdf when absent; pdf/a-2a is for archives, pdf/ua-1 is accessible.",
        }),
        fileName: optional(text(1, 255), { ...fileName, description: "Made from the template's name when absent." }),
        seal: apart<boolean>({
          type: "boolean",
          description: "Only false: sealing is not available in this version.",
          examples: [false],
        }),
      }),
    ),
  ),
  expiresIn: optional(integer(1, 315_360_000), {
    description: "Seconds after which the bytes are deleted; they are kept when absent.",
    example: 604_800,
  }),
  metadata: optional(textsInText, {
    at: "metadataJson",
    description: "Texts of your own that are given back.",
    example: { order: "1042" },
  }),
} as const;

export const newDocument = resource(DocumentSourceSchema, { ...choiceOfTemplate, data, ...shared });
export type NewDocumentBody = CreateOf<typeof newDocument.table>;

const ref = {
  type: "string",
  minLength: 1,
  maxLength: 255,
  description: "Your name for the item.",
  examples: ["row-1"],
};
const item = resource(DocumentSourceSchema, { ref: apart<string>(ref), ...newDocument.table });
const defaults = resource(DocumentSourceSchema, shared);
export type BatchItemBody = CreateOf<typeof item.table>;

export const newBatch = resource(DocumentSourceSchema, {
  ...choiceOfTemplate,
  defaults: apart<CreateOf<typeof shared>>({
    ...defaults.schemas.create,
    description: "What holds for items that do not say otherwise.",
  }),
  items: requiredApart<readonly BatchItemBody[]>({
    type: "array",
    minItems: 1,
    maxItems: 500,
    items: item.schemas.create,
    description: "An item without a template of its own is made from that of the batch.",
  }),
});
export type NewBatchBody = CreateOf<typeof newBatch.table>;

const warning = shown(WarningSchema, {
  code: readOnly(text(), { example: "missing_glyph" }),
  message: readOnly(text(), { example: "No font has a glyph for this character." }),
  path: readOnly(orNull(text()), { description: "Where in the data, when that is known.", example: "data.name" }),
  char: readOnly(orNull(text()), { example: "U+6C49" }),
});
const warnings = list(nested(warning));

const documentStatus = named(DocumentStatus, "lower");
/** Without a hash there are no bytes: an item that was deleted stays in its batch as what it was. */
const urlOf = ({ id, status, sha256 }: DocumentMessage): string | null =>
  status === DocumentStatus.COMPLETED && sha256 !== "" ? `/v1/gen/documents/${id}/content` : null;
const url = { type: ["string", "null"], description: "Where the bytes are; null while there are none." } as const;
const pages = described(count, "Pages; 0 until it is completed.");
const sha256 = {
  description: "SHA-256 of the bytes, 64 hex digits; the ETag of the content.",
  example: "0123456789abcdef".repeat(4),
} as const;

export const genDocument = shown(DocumentSchema, {
  id: readOnly(uuid),
  status: readOnly(documentStatus, { example: "completed" }),
  templateId: readOnly(orNull(uuid), {
    description: "Null when it is made from templateRef, and for an item of a batch that names no template there is.",
  }),
  version: readOnly(orNull(integer()), { description: "The version of templateId that was used.", example: 3 }),
  templateRef: readOnly(
    orNull(
      nested(
        shown(TemplateRefSchema, {
          templateId: readOnly(uuid),
          versionId: readOnly(orNull(uuid)),
          locale: readOnly(orNull(languageTag)),
        }),
      ),
    ),
    { example: null },
  ),
  output: together({ profile: readOnly(profile, { default: "pdf" }), fileName: readOnly(text(), fileName) }),
  locale: readOnly(languageTag),
  pages: readOnly(pages, { example: 4 }),
  bytes: readOnly(bigCount, { description: "Bytes of the content; 0 until it is completed.", example: 37_920 }),
  sha256: readOnly(orNull(text()), sha256),
  contentUrl: computed(url, urlOf, {
    example: "/v1/gen/documents/01961234-5678-7abc-8def-0123456789ab/content",
  }),
  warnings: readOnly(warnings),
  error: readOnly(orNull(nested(failure)), {
    at: "failure",
    description: "Why it failed; null when it has not.",
    example: null,
  }),
  metadata: readOnly(textsInText, { at: "metadataJson", default: {}, example: { order: "1042" } }),
  batchId: readOnly(orNull(uuid), { description: "Of a document of a batch.", example: null }),
  createdAt: readOnly(time),
  completedAt: readOnly(orNull(time)),
  expiresAt: readOnly(orNull(time)),
  renderMs: readOnly(count, { description: "Milliseconds that rendering took.", example: 29 }),
});

const one = (example: number) => readOnly(count, { example });
export const batch = shown(BatchSchema, {
  id: readOnly(uuid),
  status: readOnly(named(BatchStatus, "lower"), {
    description: "It has ended when it is none of queued and running.",
    example: "running",
  }),
  counts: together({
    total: one(2),
    queued: readOnly(count, { description: "Those that are being rendered included.", example: 1 }),
    completed: one(1),
    failed: one(0),
    cancelled: one(0),
  }),
  createdAt: readOnly(time),
  completedAt: readOnly(orNull(time)),
});

/** What became of one item of a batch. */
export const batchItem = shown(BatchItemSchema, {
  index: readOnly(count, { description: "Its place in the request, from 0.", example: 1 }),
  ref: readOnly(orNull(text(1, 255, { everywhere: true })), { description: ref.description, example: "row-1" }),
  status: readOnly(documentStatus, { at: "document.status", example: "failed" }),
  documentId: readOnly(orNull(uuid), {
    at: "document.id",
    description: "The document, which can be read and deleted like any other.",
  }),
  pages: readOnly(pages, { at: "document.pages", default: 0, example: 0 }),
  bytes: readOnly(bigCount, { at: "document.bytes", default: 0, example: 0 }),
  sha256: readOnly(orNull(text()), { ...sha256, at: "document.sha256", example: null }),
  contentUrl: computed(url, ({ document }: BatchItemMessage) => document && urlOf(document), { example: null }),
  warnings: readOnly(warnings, { at: "document.warnings", default: [], example: [] }),
  error: readOnly(orNull(nested(failure)), {
    at: "document.failure",
    description: "Why it failed; null when it has not.",
  }),
});

const ofState = "Those in this status only.";
export const documentFilter = resource(ListDocumentsRequestSchema, {
  status: optional(documentStatus, { description: ofState }),
  templateId: optional(uuid, { description: "Those of this template only." }),
});
export const batchFilter = resource(ListBatchesRequestSchema, {
  state: optional(named(BatchStatus, "lower"), { at: "status", description: ofState }),
});
const itemStates = ["QUEUED", "RENDERING", "COMPLETED", "FAILED", "CANCELLED", "EXPIRED"] as const;
export const itemFilter = resource(ListBatchItemsRequestSchema, {
  state: optional(named(DocumentStatus, "lower", itemStates), { at: "status", description: ofState }),
});

export type GenDocument = AnswerOf<typeof genDocument.table>;
export type Batch = AnswerOf<typeof batch.table>;
export type BatchItem = AnswerOf<typeof batchItem.table>;
