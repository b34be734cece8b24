import type { JsonObject } from "@bufbuild/protobuf";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { FieldProblem } from "#platform/errors.ts";
import { schemaProblems } from "#platform/problems.ts";

// Collecting every error of a huge hostile value would cost more than the value is worth.
const collectUpToCharacters = 16_384;

/** A member that the schema does not know is named as everywhere in templates. */
const problemsOf = (errors: Parameters<typeof schemaProblems>[0], value: JsonObject): FieldProblem[] =>
  schemaProblems(errors, value).map((one) =>
    one.code === "ADDITIONAL_PROPERTIES" ? { ...one, code: "UNKNOWN_FIELD", message: "is not a known field" } : one,
  );

/** Puts the defaults of the schema where the value is silent, and tells what else the schema has against it. */
export type FillAndCheck = (value: JsonObject) => FieldProblem[];

export function compileFillAndCheck(schema: JsonSchema): FillAndCheck {
  // Whether the schemas are valid is asked by a test: to ask takes ten times as long as to compile one.
  const options = { strict: true, allowUnionTypes: true, useDefaults: true, formats, validateSchema: false };
  const first = new Ajv2020({ ...options, allErrors: false }).compile(schema);
  let collect: typeof first | undefined;
  return (value) => {
    if (first(value)) return [];
    if (JSON.stringify(value).length > collectUpToCharacters) return problemsOf(first.errors, value);
    collect ??= new Ajv2020({ ...options, allErrors: true }).compile(schema);
    collect(value);
    return problemsOf(collect.errors, value);
  };
}

const formats: Record<string, (text: string) => boolean> = {
  uri: (text) => text.length <= 2048 && isPlainUrl(text),
  email: isEmail,
};

/** Without credentials, which would end up in logs and browser histories. */
function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.username === "" && url.password === "" && !/[\s\p{Cc}]/u.test(text);
}

/** Something that a mail could be sent to; only sending one would tell more. */
function isEmail(text: string): boolean {
  if (text.length > 254 || /[\s\p{Cc}<>,;:"()[\]\\]/u.test(text)) return false;
  const [local = "", domain = "", ...rest] = text.split("@");
  const labels = domain.split(".");
  return rest.length === 0 && local !== "" && labels.length > 1 && labels.every((label) => label !== "");
}

/** JSON Schema 2020-12, as it is shown to clients and as it is checked. */
export type JsonSchema = JsonObject;

/** An object that takes no other property; properties with a default get it when they are absent. */
export const closedObject = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: "object",
  additionalProperties: false,
  ...(required.length > 0 ? { required } : {}),
  properties,
});

export const text = (maxLength: number): JsonObject => ({ type: "string", minLength: 1, maxLength });

export const listOf = (items: JsonObject, maxItems: number): JsonObject => ({ type: "array", maxItems, items });

export const flag = (fallback: boolean): JsonObject => ({ type: "boolean", default: fallback });

export const oneOf = (...values: string[]): JsonObject => ({ type: "string", enum: values });

export const httpsUrl: JsonObject = { ...text(2048), format: "uri", pattern: "^https://" };

export const emailAddress: JsonObject = { ...text(254), format: "email" };

export const described = (schema: JsonObject, description: string): JsonObject => ({ ...schema, description });

/** With what the configuration of every type may say. */
export const topLevel = (title: string, schema: JsonObject): JsonSchema => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title,
  ...schema,
  properties: { ...(schema.properties as JsonObject), esignDisclosure },
});

/** No control characters but line breaks. */
const paragraphs: JsonObject = { ...text(10_000), pattern: "^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f]+$" };

const esignDisclosure = described(
  {
    type: "object",
    maxProperties: 50,
    propertyNames: { pattern: "^[A-Za-z0-9]{2,8}(-[A-Za-z0-9]{1,8}){0,8}$" },
    additionalProperties: paragraphs,
  },
  "The disclosure that the policy flag esignDisclosure shows, by BCP 47 locale, a line for each paragraph. Texts in other languages are shown with the disclosure that comes with the product.",
);
