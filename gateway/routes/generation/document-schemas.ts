import type { JsonObject } from "@bufbuild/protobuf";
import type { JsonSchema } from "#api/kinds.ts";

import {
  answer,
  anyObject,
  anyText,
  count,
  dateTime,
  described,
  example,
  flag,
  integer,
  languageTag,
  listOf,
  metadata,
  object,
  oneOf,
  orNull,
  text,
  uuid,
} from "../schema-parts.ts";
import { failure, pageCount, profiles, sha256, warning } from "./schema-parts.ts";

export interface TemplateRefBody {
  readonly templateId: string;
  readonly versionId?: string;
  readonly locale?: string;
}

export interface OutputBody {
  readonly profile?: (typeof profiles)[number];
  readonly fileName?: string;
  readonly seal?: boolean;
}

/** What the documents of a batch share, unless they say otherwise. */
export interface DefaultsBody {
  readonly locale?: string;
  readonly timeZone?: string;
  readonly output?: OutputBody;
  readonly expiresIn?: number;
  readonly metadata?: Record<string, string>;
}

export interface TemplateChoiceBody {
  readonly templateId?: string;
  readonly version?: number;
  readonly templateRef?: TemplateRefBody;
}

export interface DocumentBody extends DefaultsBody, TemplateChoiceBody {
  readonly data?: JsonObject;
}

export const templateChoiceParts = {
  templateId: described(uuid, "A template of documents. Either this, or templateRef."),
  version: described(
    example(integer(1, 2_147_483_647), 3),
    "Of templateId: a published version; the latest one when absent.",
  ),
  templateRef: described(
    object(
      {
        templateId: uuid,
        versionId: described(uuid, "A version; the published one of the locale when absent."),
        locale: described(languageTag, "The template's default locale when absent."),
      },
      ["templateId"],
    ),
    "A published text of the templates of agreements, in place of templateId.",
  ),
};

const outputSchema = object(
  {
    profile: described(oneOf(...profiles), "pdf when absent; pdf/a-2a is for archives, pdf/ua-1 is accessible."),
    fileName: example(text(1, 255, "Made from the template's name when absent."), "Offer-17.pdf"),
    seal: example(described(flag, "Only false: sealing is not available in this version."), false),
  },
  [],
);

export const data: JsonSchema = example(described(anyObject, "What the template is filled with, at most 1 MB."), {
  number: "17",
  customer: { name: "Example AG" },
});

export const defaultsParts = {
  locale: described(languageTag, "BCP 47; the template's when absent."),
  timeZone: example(text(1, 64, "An IANA time zone; UTC when absent."), "Europe/Berlin"),
  output: outputSchema,
  expiresIn: example(
    described(integer(1, 315_360_000), "Seconds after which the bytes are deleted; they are kept when absent."),
    604_800,
  ),
  metadata: example(described(metadata, "Texts of your own that are given back."), { order: "1042" }),
};

export const createDocumentSchema = object({ ...templateChoiceParts, data, ...defaultsParts }, []);

export const documentStatus = oneOf("queued", "rendering", "completed", "failed", "expired", "cancelled");

export const documentSchema = answer({
  id: uuid,
  status: { ...documentStatus, examples: ["completed"] },
  templateId: orNull(
    described(
      uuid,
      "Null when it is made from templateRef, and for an item of a batch that names no template there is.",
    ),
  ),
  version: example({ type: ["integer", "null"], description: "The version of templateId that was used." }, 3),
  templateRef: {
    ...answer({ templateId: uuid, versionId: orNull(uuid), locale: orNull(languageTag) }),
    type: ["object", "null"],
    examples: [null],
  },
  output: answer({ profile: oneOf(...profiles), fileName: example(anyText, "Offer-17.pdf") }),
  locale: languageTag,
  pages: example(pageCount, 4),
  bytes: example(described(count, "Bytes of the content; 0 until it is completed."), 37_920),
  sha256: orNull(sha256),
  contentUrl: example(
    { type: ["string", "null"], description: "Where the bytes are; null while there are none." },
    "/v1/gen/documents/01961234-5678-7abc-8def-0123456789ab/content",
  ),
  warnings: listOf(warning),
  error: { ...failure, examples: [null] },
  metadata: { type: "object", additionalProperties: anyText, examples: [{ order: "1042" }] },
  batchId: { ...orNull(uuid), description: "Of a document of a batch.", examples: [null] },
  createdAt: dateTime,
  completedAt: orNull(dateTime),
  expiresAt: orNull(dateTime),
  renderMs: example(described(count, "Milliseconds that rendering took."), 29),
});
