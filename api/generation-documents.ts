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
  templateId: optional(uuid, { description: "The document template. Send either this or templateRef." }),
  version: optional(integer(1, 2_147_483_647), {
    description: "A published version of templateId. Default: the latest.",
    example: 3,
  }),
  templateRef: optional(
    nested(
      resource(TemplateRefSchema, {
        templateId: required(uuid),
        versionId: optional(uuid, { description: "A version. Default: the one published in the locale." }),
        locale: optional(languageTag, { description: "The template's default locale when absent." }),
      }),
    ),
    { description: "A published text of a click template, instead of templateId." },
  ),
} as const;
const data = optional(objectInText, {
  at: "dataJson",
  description: "The data for the template, at most 1 MB.",
  example: { number: "17", customer: { name: "Example AG" } },
});
/** What the documents of a batch share, unless they say otherwise. */
const shared = {
  locale: optional(languageTag, { description: "A BCP 47 locale. Default: the template's." }),
  timeZone: optional(text(1, 64), { description: "An IANA time zone. Default: UTC.", example: "Europe/Berlin" }),
  output: optional(
    nested(
      resource(OutputSchema, {
        profile: optional(profile, {
          description: "pdf (the default), pdf/a-2a for archives, or pdf/ua-1 for accessibility.",
        }),
        fileName: optional(text(1, 255), { ...fileName, description: "Default: derived from the template's name." }),
        seal: apart<boolean>({
          type: "boolean",
          description: "Must be false: sealing isn't available in this version.",
          examples: [false],
        }),
      }),
    ),
  ),
  expiresIn: optional(integer(1, 315_360_000), {
    description: "Seconds after which the bytes are deleted. Default: never.",
    example: 604_800,
  }),
  metadata: optional(textsInText, {
    at: "metadataJson",
    description: "Your own texts, returned as you sent them.",
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
    description: "Defaults for items that don't set these members.",
  }),
  items: requiredApart<readonly BatchItemBody[]>({
    type: "array",
    minItems: 1,
    maxItems: 500,
    items: item.schemas.create,
    description: "The template for items that don't name their own.",
  }),
});
export type NewBatchBody = CreateOf<typeof newBatch.table>;

const warning = shown(WarningSchema, {
  code: readOnly(text(), { example: "missing_glyph" }),
  message: readOnly(text(), { example: "No font has a glyph for this character." }),
  path: readOnly(orNull(text()), { description: "The place in the data, if known.", example: "data.name" }),
  char: readOnly(orNull(text()), { example: "U+6C49" }),
});
const warnings = list(nested(warning));

const documentStatus = named(DocumentStatus, "lower");
/** Without a hash there are no bytes: an item that was deleted stays in its batch as what it was. */
const urlOf = ({ id, status, sha256 }: DocumentMessage): string | null =>
  status === DocumentStatus.COMPLETED && sha256 !== "" ? `/v1/gen/documents/${id}/content` : null;
const url = { type: ["string", "null"], description: "The URL of the bytes; null while there are none." } as const;
const pages = described(count, "Pages; 0 until it is completed.");
const sha256 = {
  description: "SHA-256 of the bytes in hexadecimal, which is also the ETag of the content.",
  example: "0123456789abcdef".repeat(4),
} as const;

export const genDocument = shown(DocumentSchema, {
  id: readOnly(uuid),
  status: readOnly(documentStatus, { example: "completed" }),
  templateId: readOnly(orNull(uuid), {
    description: "Null if made from templateRef, and for a batch item whose template doesn't exist.",
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
  bytes: readOnly(bigCount, { description: "The size of the content in bytes; 0 until completed.", example: 37_920 }),
  sha256: readOnly(orNull(text()), sha256),
  contentUrl: computed(url, urlOf, {
    example: "/v1/gen/documents/01961234-5678-7abc-8def-0123456789ab/content",
  }),
  warnings: readOnly(warnings),
  error: readOnly(orNull(nested(failure)), {
    at: "failure",
    description: "Why it failed; null if it didn't.",
    example: null,
  }),
  metadata: readOnly(textsInText, { at: "metadataJson", default: {}, example: { order: "1042" } }),
  batchId: readOnly(orNull(uuid), { description: "The batch that the document belongs to.", example: null }),
  createdAt: readOnly(time),
  completedAt: readOnly(orNull(time)),
  expiresAt: readOnly(orNull(time)),
  renderMs: readOnly(count, { description: "The rendering time in milliseconds.", example: 29 }),
});

const one = (example: number) => readOnly(count, { example });
export const batch = shown(BatchSchema, {
  id: readOnly(uuid),
  status: readOnly(named(BatchStatus, "lower"), {
    description: "The status. The batch has ended when it is neither queued nor running.",
    example: "running",
  }),
  counts: together({
    total: one(2),
    queued: readOnly(count, { description: "Includes documents that are being rendered.", example: 1 }),
    completed: one(1),
    failed: one(0),
    cancelled: one(0),
  }),
  createdAt: readOnly(time),
  completedAt: readOnly(orNull(time)),
});

/** What became of one item of a batch. */
export const batchItem = shown(BatchItemSchema, {
  index: readOnly(count, { description: "The item's position in the request, from 0.", example: 1 }),
  ref: readOnly(orNull(text(1, 255, { everywhere: true })), { description: ref.description, example: "row-1" }),
  status: readOnly(documentStatus, { at: "document.status", example: "failed" }),
  documentId: readOnly(orNull(uuid), {
    at: "document.id",
    description: "The document, which you can read and delete like any other.",
  }),
  pages: readOnly(pages, { at: "document.pages", default: 0, example: 0 }),
  bytes: readOnly(bigCount, { at: "document.bytes", default: 0, example: 0 }),
  sha256: readOnly(orNull(text()), { ...sha256, at: "document.sha256", example: null }),
  contentUrl: computed(url, ({ document }: BatchItemMessage) => document && urlOf(document), { example: null }),
  warnings: readOnly(warnings, { at: "document.warnings", default: [], example: [] }),
  error: readOnly(orNull(nested(failure)), {
    at: "document.failure",
    description: "Why it failed; null if it didn't.",
  }),
});

const ofState = "Those in this status only.";
export const documentFilter = resource(ListDocumentsRequestSchema, {
  status: optional(documentStatus, { description: ofState }),
  templateId: optional(uuid, { description: "Returns only documents of this template." }),
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
