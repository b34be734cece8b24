import type { JsonObject } from "@bufbuild/protobuf";
import type { FieldProblem } from "#platform/errors.ts";
import { problem, refuse } from "./problems.ts";
import { compileFillAndCheck, type JsonSchema } from "./type-config/check-schema.ts";
import { type ConsentConfig, consentProblems, consentSchema } from "./type-config/consent.ts";
import {
  type GeneratedConfig,
  generatedProblems,
  generatedSchema,
  type StaticConfig,
  staticProblems,
  staticSchema,
} from "./type-config/generated.ts";

export type TemplateType = "STATIC" | "GENERATED" | "CONSENT";

/** The configuration of a template in the shape that its type gives it. */
export interface TypeConfigs {
  readonly STATIC: StaticConfig;
  readonly GENERATED: GeneratedConfig;
  readonly CONSENT: ConsentConfig;
}

/** What a configuration may say, as clients read it. */
export const typeConfigSchemas: Readonly<Record<TemplateType, JsonSchema>> = {
  STATIC: staticSchema,
  GENERATED: generatedSchema,
  CONSENT: consentSchema,
};

/**
 * The configuration as it is stored: what was given, with the defaults of the type for the rest.
 * Throws CLICK_VALIDATION_FAILED that names every bad field.
 */
export function completeTypeConfig(type: TemplateType, given: JsonObject = {}): JsonObject {
  const { config, problems } = examine(type, given);
  refuse(problems);
  return config;
}

/** What is wrong with the configuration of a template of this type. */
export const typeConfigProblems = (type: TemplateType, given: JsonObject): FieldProblem[] =>
  examine(type, given).problems;

/** Reads a configuration that completeTypeConfig made for a template of this type. */
export const readTypeConfig = <Type extends TemplateType>(_type: Type, config: JsonObject): TypeConfigs[Type] =>
  config as unknown as TypeConfigs[Type];

/** A batch of acceptances carries the configurations of up to 256 templates of many organizations in one message. */
const maxBytes = 65_536;

/** What is wrong with a configuration whatever its type is. */
export function typeConfigSizeProblems(given: JsonObject): FieldProblem[] {
  if (Buffer.byteLength(JSON.stringify(given)) <= maxBytes) return [];
  return [problem("typeConfig", "TOO_LARGE", `must have at most ${maxBytes} bytes of JSON`)];
}

const rules = {
  STATIC: { fillAndCheck: compileFillAndCheck(staticSchema), further: staticProblems },
  GENERATED: { fillAndCheck: compileFillAndCheck(generatedSchema), further: generatedProblems },
  CONSENT: { fillAndCheck: compileFillAndCheck(consentSchema), further: consentProblems },
};

function examine(type: TemplateType, given: JsonObject): { config: JsonObject; problems: FieldProblem[] } {
  const tooLarge = typeConfigSizeProblems(given);
  if (tooLarge.length > 0) return { config: given, problems: tooLarge };
  const config = structuredClone(given);
  const { fillAndCheck, further } = rules[type];
  let problems = fillAndCheck(config);
  // What is checked further relies on the shape.
  if (problems.length === 0) problems = (further as (config: unknown) => FieldProblem[])(config);
  return { config, problems: problems.map((found) => ({ ...found, field: `typeConfig.${found.field}` })) };
}
