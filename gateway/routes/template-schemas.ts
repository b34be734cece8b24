import type { JsonObject } from "@bufbuild/protobuf";
import type { JsonSchema } from "./route.ts";
import {
  answer,
  anyObject,
  anyText,
  count,
  dateTime,
  described,
  httpsUrl,
  languageTag,
  metadata,
  object,
  oneOf,
  orNull,
  text,
  uuid,
} from "./schema-parts.ts";

export interface CounterpartyBody {
  readonly legalName: string;
  readonly address?: string | null;
  readonly url?: string | null;
}

export interface CreateTemplateBody {
  readonly name: string;
  readonly type: "STATIC" | "GENERATED" | "CONSENT";
  readonly slug?: string | null;
  readonly description?: string | null;
  readonly defaultLocale?: string | null;
  readonly typeConfig?: JsonObject | null;
  readonly policyFlags?: JsonObject | null;
  readonly counterparty?: CounterpartyBody | null;
  readonly metadata?: Record<string, string> | null;
}

export interface UpdateTemplateBody {
  readonly name?: string;
  readonly type?: "STATIC" | "GENERATED" | "CONSENT";
  readonly slug?: string;
  readonly description?: string | null;
  readonly defaultLocale?: string;
  readonly typeConfig?: JsonObject;
  readonly policyFlags?: JsonObject;
  readonly counterparty?: CounterpartyBody | null;
  readonly metadata?: Record<string, string> | null;
  readonly status?: "DRAFT";
}

export const templateStatus = oneOf("DRAFT", "PUBLISHED", "ARCHIVED");
const templateType = oneOf("STATIC", "GENERATED", "CONSENT");
const name = text(1, 255);
const slug: JsonSchema = { type: "string", minLength: 1, maxLength: 100, pattern: "^[a-z0-9]+(-[a-z0-9]+)*$" };
const description = text(0, 2_000);
const typeConfig = described(anyObject, "Settings that belong to the type.");
const policyFlags = described(anyObject, "What an acceptance must satisfy; merged over the defaults.");
const counterparty = described(
  object({ legalName: text(1, 255), address: orNull(text(0, 2_000)), url: orNull(httpsUrl) }, ["legalName"]),
  "Who the user contracts with.",
);

export const createTemplateSchema = object(
  {
    name,
    type: templateType,
    slug: described(orNull(slug), "Derived from the name when absent."),
    description: orNull(description),
    defaultLocale: described(orNull(languageTag), "BCP 47; en when absent."),
    typeConfig: orNull(typeConfig),
    policyFlags: orNull(policyFlags),
    counterparty: orNull(counterparty),
    metadata: orNull(metadata),
  },
  ["name", "type"],
);

export const updateTemplateSchema = object(
  {
    name,
    type: described(templateType, "Only before the first publication."),
    slug,
    description: orNull(description),
    defaultLocale: languageTag,
    typeConfig,
    policyFlags,
    counterparty: orNull(counterparty),
    metadata: orNull(metadata),
    status: described(oneOf("DRAFT"), "Restores an archived template."),
  },
  [],
);

export const templateSchema: JsonSchema = answer({
  id: uuid,
  organizationId: uuid,
  name: anyText,
  slug: anyText,
  type: templateType,
  status: described(templateStatus, "PUBLISHED while it has a published version."),
  description: orNull(anyText),
  defaultLocale: languageTag,
  typeConfig,
  policyFlags,
  counterparty: orNull(
    answer({ legalName: anyText, address: orNull(anyText), url: orNull({ type: "string", format: "uri" }) }),
  ),
  metadata: { type: "object", additionalProperties: anyText },
  currentVersions: {
    type: "object",
    description: "The published version of each locale.",
    additionalProperties: answer({ versionId: uuid, revision: count, label: anyText }),
  },
  activeDeploymentCount: count,
  createdBy: orNull(anyText),
  createdAt: dateTime,
  updatedAt: dateTime,
  archivedAt: orNull(dateTime),
});
