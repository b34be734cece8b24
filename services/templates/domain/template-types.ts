import type { JsonObject } from "@bufbuild/protobuf";
import { defaultPolicyFlags, type PolicyFlags } from "./policy-flags.ts";
import type { TemplateType } from "./type-config.ts";
import { completeTypeConfig, typeConfigSchemas } from "./type-config.ts";

/** What there is to know of a type of template before one is made. */
export interface TemplateTypeInfo {
  readonly type: TemplateType;
  readonly name: string;
  readonly description: string;
  readonly configSchema: JsonObject;
  readonly defaultTypeConfig: JsonObject;
  readonly defaultPolicyFlags: PolicyFlags;
}

const described = [
  {
    type: "STATIC",
    name: "Static text",
    description: "The same text for everybody, such as terms of use.",
  },
  {
    type: "GENERATED",
    name: "Generated text",
    description: "A text with merge fields that are filled for each person, such as an offer.",
  },
  {
    type: "CONSENT",
    name: "Consent",
    description: "A text with purposes that the person grants or denies one by one.",
  },
] as const;

/** Always in this order. */
export const templateTypes: readonly TemplateTypeInfo[] = described.map((info) => ({
  ...info,
  configSchema: typeConfigSchemas[info.type],
  defaultTypeConfig: completeTypeConfig(info.type),
  defaultPolicyFlags: defaultPolicyFlags(info.type),
}));
