import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonSchema } from "#api/kinds.ts";
import type { FieldProblem } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { schemaProblems } from "#platform/schema-problems.ts";

/** Returns what is wrong with a value; an empty list means nothing. */
export type Validate = (value: unknown) => readonly FieldProblem[];

/** Checks values by a JSON Schema 2020-12. Throws for a schema that is not valid or uses what is not known. */
export type CompileSchema = (schema: JsonSchema) => Validate;

// Collecting every error of a huge hostile body would cost more than the body is worth.
const collectUpToBytes = 16_384;

export function createSchemaCompiler(): CompileSchema {
  const options = { strict: true, strictRequired: false, allowUnionTypes: true, formats: createTextFormats() } as const;
  const first = new Ajv2020({ ...options, allErrors: false });
  // To make its code small takes as long as to write it, and what it looks at is bad already.
  const all = new Ajv2020({ ...options, allErrors: true, code: { optimize: false } });
  return (schema) => {
    // With the first request: to compile those of all operations takes half of the time that a process needs to start.
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

/** No format looks at more text than its longest value has, whatever its regular expression would do. */
export const createTextFormats = (): Record<string, (text: string) => boolean> => ({
  uuid: isUuid,
  date: (text) => text.length === 10 && isDateTime(`${text}T00:00:00Z`),
  "date-time": (text) => text.length <= 40 && isDateTime(text),
  "language-tag": createLanguageTagFormat(),
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

/** Most requests name one of few languages, and looking one up costs more than the rest of a body. */
function createLanguageTagFormat(): (text: string) => boolean {
  const known = new Set<string>();
  return (text) => {
    if (known.has(text)) return true;
    if (text.length > 100 || !isLanguageTag(text)) return false;
    if (known.size >= 1_000) known.clear();
    known.add(text);
    return true;
  };
}

function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** Without credentials, which would end up in logs and browser histories. */
function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.protocol === "https:" && url.username === "" && url.password === "";
}
