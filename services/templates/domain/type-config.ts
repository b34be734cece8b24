import type { JsonObject } from "@bufbuild/protobuf";
import type { FieldProblem } from "#platform/errors.ts";
import { problem } from "./problems.ts";
import type { TemplateType } from "./template.ts";

/** What the configuration of a template says when its author says nothing. */
export const defaultTypeConfig: Readonly<Record<TemplateType, Readonly<JsonObject>>> = {
  STATIC: { downloadable: true },
  GENERATED: { variables: [], missing: "ERROR" },
  CONSENT: { purposes: [] },
};

/** The configuration as it is stored: what was given, with the defaults of the type for the rest. */
export const completeTypeConfig = (type: TemplateType, given: JsonObject = {}): JsonObject => ({
  ...defaultTypeConfig[type],
  ...given,
});

/** A batch of acceptances carries the configurations of up to 256 templates of many organizations in one message. */
const maxBytes = 65_536;

/** What is wrong with the configuration of a template. */
export function typeConfigProblems(given: JsonObject): FieldProblem[] {
  if (Buffer.byteLength(JSON.stringify(given)) <= maxBytes) return [];
  return [problem("typeConfig", "TOO_LARGE", `must have at most ${maxBytes} bytes of JSON`)];
}
