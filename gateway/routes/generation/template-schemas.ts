import type { JsonObject } from "@bufbuild/protobuf";
import type { JsonSchema } from "#api/kinds.ts";

import {
  answer,
  anyObject,
  anyText,
  dateTime,
  described,
  example,
  flag,
  languageTag,
  listOf,
  object,
  oneOf,
  orNull,
  text,
  uuid,
} from "../schema-parts.ts";
import { format, type formats } from "./schema-parts.ts";

export interface PageBody {
  readonly size?: string;
  readonly orientation?: string;
  readonly margins?: { readonly [side in "top" | "right" | "bottom" | "left"]?: number };
  readonly header?: string | null;
  readonly footer?: string | null;
  readonly font?: string;
}

export type FormatName = (typeof formats)[number];

export interface CreateGenTemplateBody {
  readonly name: string;
  readonly slug?: string | null;
  readonly format: FormatName;
  readonly content: string;
  readonly page?: PageBody;
  readonly locale?: string | null;
  readonly sampleData?: JsonObject | null;
}

export interface UpdateGenTemplateBody {
  readonly name?: string;
  readonly slug?: string;
  readonly format?: FormatName;
  readonly content?: string;
  readonly page?: PageBody;
  readonly locale?: string;
  readonly sampleData?: JsonObject | null;
}

export interface ValidateGenTemplateBody {
  readonly content: string;
  readonly format: FormatName;
  readonly data?: JsonObject | null;
}

/** The service measures bytes. */
const maxContent = 524_288;

const margin = (): JsonSchema => example({ type: "number", minimum: 0, maximum: 100 }, 25);
const margins = { top: margin(), right: margin(), bottom: margin(), left: margin() };
const pageParts = {
  size: described(oneOf("a4", "a5", "letter", "legal"), "a4 when absent."),
  orientation: described(oneOf("portrait", "landscape"), "portrait when absent."),
  margins: described(object(margins, []), "Millimetres; 25 where absent."),
  header: example(orNull(text(0, 500, "One line at the top of each page; null or empty for none.")), ""),
  footer: example(
    orNull(text(0, 500, "One line at the bottom. `{page}` and `{pages}` are the number of the page and of all pages.")),
    "{page} / {pages}",
  ),
  font: described(oneOf("sans", "serif"), "sans when absent."),
};
const page = described(object(pageParts, []), "The page of the documents; what is absent takes its default.");
const answeredPage = answer({
  ...pageParts,
  margins: answer(margins),
  header: example(anyText, ""),
  footer: example(anyText, "{page} / {pages}"),
});

const content = example(
  text(1, maxContent, "Restricted HTML or Markdown with Liquid, at most 512 KB."),
  "<h1>Offer {{ number }}</h1><p>{{ customer.name }} pays {{ total | money: 'EUR' }}.</p>",
);
const slug: JsonSchema = { type: "string", minLength: 1, maxLength: 100, pattern: "^[a-z0-9]+(-[a-z0-9]+)*$" };
const data = example(described(anyObject, "What the template is filled with."), {
  number: "17",
  customer: { name: "Example AG" },
  total: 120.5,
});
const name = example(text(1, 255), "Offer");
const sampleData = orNull(described(data, "Data to try it with; null for none."));
const locale = described(languageTag, "BCP 47; decides hyphenation, dates and numbers.");

export const createGenTemplateSchema = object(
  {
    name,
    slug: described(orNull(slug), "Derived from the name when absent."),
    format,
    content,
    page,
    locale: described(orNull(locale), "BCP 47; en when absent."),
    sampleData,
  },
  ["name", "format", "content"],
);

export const updateGenTemplateSchema = object({ name, slug, format, content, page, locale, sampleData }, []);

const listed = {
  id: uuid,
  name,
  slug: example(anyText, "offer"),
  format,
  page: answeredPage,
  locale,
  publishedVersion: example(
    { type: ["integer", "null"], description: "The latest published version; null when nothing is published." },
    3,
  ),
  publishedAt: orNull(dateTime),
  hasChanges: described(flag, "Whether the draft differs from the published version."),
  createdBy: anyText,
  createdAt: dateTime,
  updatedAt: dateTime,
};

export const listedGenTemplateSchema = answer(listed);
export const genTemplateSchema = answer({ ...listed, content, sampleData });

export const validateGenTemplateSchema = object(
  { content, format, data: described(orNull(data), "Checked against the template as well, when it is given.") },
  ["content", "format"],
);

const place = (description: string): JsonSchema => ({ type: ["integer", "null"], minimum: 1, description });

export const validationSchema = answer({
  valid: flag,
  errors: listOf(
    object(
      {
        code: example(anyText, "type_mismatch"),
        message: example(anyText, "must be a number"),
        line: place("Begins with 1; null for findings about the data."),
        column: place("Begins with 1; null for findings about the data."),
        path: example(described(anyText, "Of findings about the data: a JSON pointer (RFC 6901)."), "/total"),
        expected: example(described(anyText, "What was expected there."), "number"),
      },
      ["code", "message", "line", "column"],
    ),
  ),
});

/** As the service infers it: open, because what describes data may have any keyword. */
export const dataSchemaSchema = example(described(anyObject, "A JSON Schema (2020-12)."), {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { number: { type: "string" }, total: { type: "number" } },
  required: ["number", "total"],
});
