import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonSchema } from "#api/kinds.ts";
import type { FieldProblem } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { canonicalLocale } from "#platform/locale.ts";
import { isEmailAddress } from "#platform/mail/mail.ts";
import { schemaProblems } from "#platform/problems.ts";

/** Returns what is wrong with a value; an empty list means nothing. */
export type Validate = (value: unknown) => readonly FieldProblem[];

/** Checks values by a JSON Schema 2020-12. Throws for a schema that uses what is not known. */
export type CompileSchema = (schema: JsonSchema) => Validate;

// Collecting every error of a huge hostile body would cost more than the body is worth.
const collectUpToBytes = 16_384;

let compiler: CompileSchema | undefined;

/** One for the whole process, which compiles each schema once. */
export const schemaCompiler = (): CompileSchema => (compiler ??= createSchemaCompiler());

function createSchemaCompiler(): CompileSchema {
  const options = {
    ...{ strict: true, strictRequired: false, allowUnionTypes: true, formats: createTextFormats() },
    // All of them are ours; a test asks whether they are valid.
    validateSchema: false,
  } as const;
  const first = new Ajv2020({ ...options, allErrors: false });
  // Optimizing the generated code takes as long as generating it, and this one only sees bad values.
  const all = new Ajv2020({ ...options, allErrors: true, code: { optimize: false } });
  return (schema) => {
    // Compiled with the first request: compiling all operations would double the start-up time.
    let isValid: ReturnType<typeof first.compile> | undefined;
    // Most processes never see a bad request of most operations.
    let collect: ReturnType<typeof all.compile> | undefined;
    return (value) => {
      isValid ??= first.compile(schema);
      if (isValid(value)) return [];
      if (JSON.stringify(value).length > collectUpToBytes) return schemaProblems(isValid.errors, value);
      collect ??= all.compile(schema);
      collect(value);
      return schemaProblems(collect.errors, value);
    };
  };
}

const httpsPattern = /^https:\/\/[^\s\p{Cc}]+$/iu;

/** Each format checks the length first, so that no regular expression sees a long text. */
export const createTextFormats = (): Record<string, (text: string) => boolean> => ({
  uuid: isUuid,
  date: (text) => text.length === 10 && isDateTime(`${text}T00:00:00Z`),
  "date-time": (text) => text.length <= 40 && isDateTime(text),
  email: isEmailAddress,
  "language-tag": (text) => text.length <= 100 && canonicalLocale(text) !== undefined,
  "https-url": (text) => text.length <= 2_048 && httpsPattern.test(text) && isPlainUrl(text),
});

// RFC 3339.
const dateTimePattern = /^(\d{4})-(\d\d)-(\d\d)[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

function isDateTime(text: string): boolean {
  const match = dateTimePattern.exec(text);
  if (match === null || Number.isNaN(Date.parse(text.toUpperCase()))) return false;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  // JavaScript reads the 30th of February as the 2nd of March.
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}

/** Without credentials, which would end up in logs and browser histories. */
function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.protocol === "https:" && url.username === "" && url.password === "";
}
