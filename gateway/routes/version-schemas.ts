import { contentReportSchema } from "./content-schemas.ts";
import type { JsonSchema } from "./route.ts";
import {
  answer,
  anyText,
  count,
  dateTime,
  described,
  flag,
  hash,
  languageTag,
  listOf,
  object,
  oneOf,
  orNull,
  text,
  uuid,
} from "./schema-parts.ts";

export interface VersionTextsBody {
  readonly consentText?: string | null;
  readonly buttonText?: string | null;
  readonly declineText?: string | null;
  readonly checkboxText?: string | null;
  readonly linkText?: string | null;
  readonly purposeTexts?: Record<string, string> | null;
}

export interface CreateVersionBody extends VersionTextsBody {
  readonly locale: string;
  readonly title?: string | null;
  readonly content: string;
  readonly format?: "html" | "markdown" | "text" | null;
  readonly changeSummary?: string | null;
  readonly effectiveAt?: string | null;
}

export type VersionChangesBody = Partial<CreateVersionBody>;

export interface UpdateVersionBody extends VersionChangesBody {
  readonly ifUpdatedAt?: string | null;
}

export interface PublishVersionBody {
  readonly published?: boolean | null;
  readonly publish?: boolean | null;
  readonly isPublished?: boolean | null;
  readonly requireReacceptance?: boolean | null;
  readonly effectiveAt?: string | null;
  readonly changeSummary?: string | null;
}

const format = oneOf("html", "markdown", "text");
const purposeTexts: JsonSchema = {
  type: "object",
  maxProperties: 20,
  propertyNames: { minLength: 1, maxLength: 64 },
  additionalProperties: text(0, 2_000),
};

const fields = {
  locale: languageTag,
  title: orNull(text(0, 255)),
  content: text(1, 1_048_576, "The text to agree to; at most 1 MiB in UTF-8."),
  format: described(orNull(format), "html when absent."),
  changeSummary: orNull(text(0, 2_000)),
  effectiveAt: orNull(dateTime),
  consentText: orNull(text(0, 2_000)),
  buttonText: orNull(text(0, 255)),
  declineText: orNull(text(0, 255)),
  checkboxText: orNull(text(0, 2_000)),
  linkText: orNull(text(0, 255)),
  purposeTexts: described(orNull(purposeTexts), "The words for each purpose, by its key."),
};

export const createVersionSchema = object(fields, ["locale", "content"]);
export const updateVersionSchema = object(
  {
    ...fields,
    format: described(orNull(format), "null means html."),
    ifUpdatedAt: described(
      orNull(dateTime),
      "The updatedAt of the version as you know it: nothing changes when somebody has changed it since.",
    ),
  },
  [],
);

export const publishVersionSchema = object(
  {
    published: described(orNull(flag), "False unpublishes; true when absent."),
    publish: described(orNull(flag), "Another name of published."),
    isPublished: described(orNull(flag), "Another name of published."),
    requireReacceptance: described(
      orNull(flag),
      "True (default) makes the next major label and asks users again; false the next minor one.",
    ),
    effectiveAt: orNull(dateTime),
    changeSummary: orNull(text(0, 2_000)),
  },
  [],
);

const revisionSchema = answer({
  revision: count,
  label: anyText,
  contentHash: hash,
  publishedAt: dateTime,
  requiresReacceptance: flag,
});

/** What a version said when it was published. */
export const revisionTextSchema: JsonSchema = answer({
  templateId: uuid,
  versionId: uuid,
  revision: count,
  label: anyText,
  locale: languageTag,
  title: orNull(anyText),
  content: anyText,
  format,
  contentHash: hash,
  consentText: orNull(anyText),
  buttonText: orNull(anyText),
  declineText: orNull(anyText),
  checkboxText: orNull(anyText),
  linkText: orNull(anyText),
  purposeTexts: { type: "object", additionalProperties: anyText },
  publishedAt: dateTime,
  publishedBy: anyText,
});

export const versionSchema: JsonSchema = answer({
  id: uuid,
  templateId: uuid,
  organizationId: uuid,
  locale: languageTag,
  title: orNull(anyText),
  content: anyText,
  format,
  consentText: orNull(anyText),
  buttonText: orNull(anyText),
  declineText: orNull(anyText),
  checkboxText: orNull(anyText),
  linkText: orNull(anyText),
  purposeTexts: { type: "object", additionalProperties: anyText },
  changeSummary: orNull(anyText),
  effectiveAt: orNull(dateTime),
  status: oneOf("DRAFT", "PUBLISHED", "ARCHIVED"),
  isPublished: flag,
  revision: described(count, "0 before the first publication."),
  label: orNull(anyText),
  contentHash: hash,
  validation: described(orNull(contentReportSchema), "What validate-content says of the content as it stands."),
  publishedAt: orNull(dateTime),
  publishedBy: orNull(anyText),
  unpublishedAt: orNull(dateTime),
  archivedAt: orNull(dateTime),
  createdAt: dateTime,
  updatedAt: dateTime,
  revisions: listOf(revisionSchema),
});
