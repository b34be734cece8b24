import type { JsonObject } from "@bufbuild/protobuf";
import type { JsonSchema } from "#api/kinds.ts";

import {
  answer,
  anyObject,
  anyText,
  count,
  dateTime,
  described,
  flag,
  hash,
  listOf,
  oneOf,
  orNull,
  uuid,
} from "./schema-parts.ts";

/** The flags themselves, or an object with nothing but them. */
export type PolicyFlagsBody = JsonObject;

const templateType = oneOf("STATIC", "GENERATED", "CONSENT");
const typeConfig = described(anyObject, "Settings that belong to the type.");
const policyFlags = described(anyObject, "What an acceptance must satisfy.");

const verification = {
  required: described(flag, "False when an acceptance needs no verification at all."),
  mode: described(oneOf("ALL", "ANY"), "Whether every method must be passed, or one of them."),
  methods: listOf(
    answer({
      method: anyText,
      required: described(flag, "False for alternatives, one of which is enough."),
      level: count,
      validForSeconds: orNull(count),
      parameters: anyObject,
    }),
  ),
};

export const verificationSchema: JsonSchema = answer({ templateId: uuid, ...verification });

export const configurationSchema: JsonSchema = answer({
  templateId: uuid,
  type: templateType,
  status: oneOf("DRAFT", "PUBLISHED", "ARCHIVED"),
  typeConfig,
  policyFlags,
  effectivePolicy: described(anyObject, "The flags in force: those set, over the defaults of the type."),
  verification: answer(verification),
  policyHash: described(hash, "Of the canonical JSON (RFC 8785) of effectivePolicy."),
  updatedAt: dateTime,
});

export const policyFlagsSchema: JsonSchema = {
  type: "object",
  description: "The flags to change, or { policyFlags } with them. Flags that are not named keep their values.",
  properties: { policyFlags: anyObject },
};

export const templateTypeSchema: JsonSchema = answer({
  type: templateType,
  name: anyText,
  description: anyText,
  contentFormats: listOf(oneOf("html", "markdown", "text")),
  configSchema: described(anyObject, "JSON Schema of typeConfig."),
  defaults: answer({ typeConfig, policyFlags }),
  validationRules: described(listOf(anyText), "Codes of the findings that validate-content may have."),
});
