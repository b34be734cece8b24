import {
  type Asset as AssetMessage,
  AssetSchema,
  CreateAssetRequestSchema,
  CreateTemplateRequestSchema,
  FindingSchema,
  Format,
  GetUsageResponseSchema,
  MarginsSchema,
  PageSchema,
  TemplateSchema,
  UpdateTemplateRequestSchema,
  UsageWindowSchema,
  ValidateTemplateRequestSchema,
  type ValidateTemplateResponse,
  ValidateTemplateResponseSchema,
} from "#gen/assent/docgen/v1/docgen_pb.ts";
import {
  bigCount,
  choice,
  count,
  described,
  flag,
  integer,
  languageTag,
  list,
  named,
  number,
  objectInText,
  onePixel,
  orNull,
  text,
  time,
  unixTime,
  uuid,
} from "./kinds.ts";
import { type AnswerOf, type CreateOf, computed, optional, readOnly, required, requiredApart } from "./members.ts";
import { nested, resource, shown } from "./resource.ts";

const sent = <const Words extends string>(words: Words) => ({ create: words, change: words }) as const;

const margin = optional(number(0, 100), { example: 25 });
const margins = resource(MarginsSchema, { top: margin, right: margin, bottom: margin, left: margin });

const page = resource(PageSchema, {
  size: optional(choice("a4", "a5", "letter", "legal"), { description: "Default: a4." }),
  orientation: optional(choice("portrait", "landscape"), { description: "Default: portrait." }),
  margins: optional(nested(margins), { description: sent("Millimetres; 25 where absent.") }),
  header: optional(text(0, 500), {
    ...{ null: "both", nullIs: "empty" },
    description: sent("One line at the top of each page; null or empty for none."),
    example: "",
  }),
  footer: optional(text(0, 500), {
    ...{ null: "both", nullIs: "empty" },
    description: sent("One line at the bottom. `{page}` and `{pages}` are the number of the page and of all pages."),
    example: "{page} / {pages}",
  }),
  font: optional(choice("sans", "serif"), { description: "Default: sans." }),
});

const format = described(
  named(Format, "lower"),
  "html is restricted HTML, markdown is CommonMark, docx is a Word file; all with Liquid.",
);

const listed = {
  id: readOnly(uuid),
  name: required(text(1, 255, { everywhere: true }), { example: "Offer" }),
  slug: optional(text(1, 100, { pattern: "^[a-z0-9]+(-[a-z0-9]+)*$" }), {
    null: "create",
    description: { create: "Derived from the name when absent." },
    answerExample: "offer",
  }),
  format: required(format),
  page: optional(nested(page), {
    description: sent("The page of the documents; what is absent takes its default."),
  }),
  locale: optional(languageTag, {
    null: "create",
    description: {
      create: "BCP 47; en when absent.",
      change: "BCP 47; decides hyphenation, dates and numbers.",
      answer: "BCP 47; decides hyphenation, dates and numbers.",
    },
  }),
  publishedVersion: readOnly(orNull(integer()), {
    description: "The latest published version; null if there is none.",
    example: 3,
  }),
  publishedAt: readOnly(orNull(time)),
  hasChanges: readOnly(flag, { description: "Whether the draft differs from the published version." }),
  createdBy: readOnly(text()),
  createdAt: readOnly(time),
  updatedAt: readOnly(time),
} as const;
/** The service measures bytes. */
const content = required(text(1, 524_288, { everywhere: true }), {
  description:
    "Restricted HTML or Markdown with Liquid, at most 512 KB. Of a Word file its address, `asset:<id>`, after it is stored as an asset.",
  example: "<h1>Offer {{ number }}</h1><p>{{ customer.name }} pays {{ total | money: 'EUR' }}.</p>",
});
const exampleData = { number: "17", customer: { name: "Example AG" }, total: 120.5 };

export const genTemplate = resource(
  TemplateSchema,
  {
    ...listed,
    content,
    sampleData: optional(orNull(objectInText), {
      at: "sampleDataJson",
      description: "Sample data; null for none.",
      example: exampleData,
    }),
  },
  { create: CreateTemplateRequestSchema, change: UpdateTemplateRequestSchema },
);
/** As lists have it. */
export const listedGenTemplate = shown(TemplateSchema, listed);

export const contentToCheck = resource(ValidateTemplateRequestSchema, {
  content,
  format: required(format),
  data: optional(orNull(objectInText), {
    at: "dataJson",
    description: "Data to check against the template.",
    example: exampleData,
  }),
});

const place = readOnly(orNull(integer(1)), {
  description:
    "Counts from 1; null for findings about the data. In a Word file, the paragraph and the character in it.",
});
const finding = shown(FindingSchema, {
  code: readOnly(text(), { example: "type_mismatch" }),
  message: readOnly(text(), { example: "must be a number" }),
  line: place,
  column: place,
  path: readOnly(text(), {
    leftOut: true,
    description: "For findings about the data: a JSON Pointer (RFC 6901).",
    example: "/total",
  }),
  expected: readOnly(text(), { leftOut: true, description: "What was expected there.", example: "number" }),
});
export const genValidation = shown(ValidateTemplateResponseSchema, {
  valid: computed({ type: "boolean" }, ({ findings }: ValidateTemplateResponse) => findings.length === 0),
  errors: readOnly(list(nested(finding)), { at: "findings" }),
});

const wordType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

export const asset = shown(AssetSchema, {
  id: readOnly(uuid, {
    description:
      "Templates show an image as `asset:<id>`; a Word file is the content of a template under this address.",
  }),
  name: readOnly(text(), { example: "logo.png" }),
  contentType: readOnly(choice("image/png", "image/jpeg", wordType)),
  width: readOnly(count, { description: "Pixels; 0 for a Word file." }),
  height: readOnly(count, { description: "Pixels; 0 for a Word file." }),
  bytes: readOnly(bigCount),
  sha256: readOnly(text(), {
    description: "SHA-256 of the bytes in hexadecimal, which is also the ETag of the content.",
    example: "0123456789abcdef".repeat(4),
  }),
  contentUrl: computed({ type: "string" }, ({ id }: AssetMessage) => `/v1/gen/assets/${id}/content`, {
    example: "/v1/gen/assets/01961234-5678-7abc-8def-0123456789ab/content",
  }),
  createdAt: readOnly(time),
});
export const newAsset = resource(CreateAssetRequestSchema, {
  name: required(text(1, 255), { example: "logo.png" }),
  content: requiredApart<string>({
    type: "string",
    minLength: 1,
    description: "A PNG, a JPEG or a Word file (.docx) of at most 5 MB, in Base64.",
    examples: [onePixel],
  }),
});

const usageWindow = (limit: number, used: number) =>
  nested(
    shown(UsageWindowSchema, {
      limit: readOnly(count, { description: "Documents allowed in the window.", example: limit }),
      used: readOnly(count, { description: "Documents used in the window.", example: used }),
      resetAt: readOnly(unixTime, { description: "When the next window begins." }),
    }),
  );
/** The plan of document generation and what is used of it. */
export const usage = shown(GetUsageResponseSchema, {
  plan: readOnly(choice("gen_starter", "gen_pro", "gen_hoa", "business", "gen_payg")),
  hour: readOnly(usageWindow(600, 17)),
  minute: readOnly(usageWindow(10, 2)),
});

export type GenTemplate = AnswerOf<typeof genTemplate.table>;
export type ListedGenTemplate = AnswerOf<typeof listedGenTemplate.table>;
export type GenTemplateBody = CreateOf<typeof genTemplate.table>;
export type GenFinding = AnswerOf<typeof finding.table>;
export type GenValidation = AnswerOf<typeof genValidation.table>;
export type Usage = AnswerOf<typeof usage.table>;
