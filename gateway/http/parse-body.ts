import { isUtf8 } from "node:buffer";
import { DomainError, type ErrorCode } from "#platform/errors.ts";

const maxDepth = 32;
const notJson = "The body is not valid JSON. Send a JSON object encoded in UTF-8.";

/**
 * Parses a JSON body. Throws the given code for what is not JSON in UTF-8, and for what no database and no canonical
 * form can hold: nesting beyond 32 levels, half surrogate pairs, the character NUL, and numbers beyond any double.
 */
export function parseJson(bytes: Buffer, malformed: ErrorCode): unknown {
  if (!isUtf8(bytes)) throw new DomainError(malformed, { message: notJson });
  const text = bytes.toString("utf8");
  const value = parse(text, malformed);
  // In UTF-8 only an escape can bring a character that has to be looked for.
  const hasEscapes = text.includes("\\u");
  const problem = findProblem(value, maxDepth, hasEscapes);
  if (problem !== undefined) throw new DomainError(malformed, { message: problem });
  return value;
}

/** Parses a form body. A parameter that comes twice keeps both values, which no schema accepts. */
export function parseForm(bytes: Buffer): unknown {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(bytes.toString("utf8"))) {
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : [before, value].flat());
  }
  const value = Object.fromEntries(fields);
  const problem = findProblem(value, maxDepth, true);
  if (problem !== undefined) throw new DomainError("VALIDATION_FAILED", { message: problem });
  return value;
}

function parse(text: string, malformed: ErrorCode): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DomainError(malformed, { message: notJson });
  }
}

function findProblem(value: unknown, levelsLeft: number, hasEscapes: boolean): string | undefined {
  if (typeof value === "string") return hasEscapes ? findTextProblem(value) : undefined;
  // JSON.parse reads 1e400 as Infinity.
  if (typeof value === "number" && !Number.isFinite(value)) return "The body has a number that is too large.";
  if (typeof value !== "object" || value === null) return undefined;
  if (levelsLeft === 0) return `The body is nested deeper than ${maxDepth} levels.`;
  if (Array.isArray(value)) {
    for (const item of value) {
      const problem = findProblem(item, levelsLeft - 1, hasEscapes);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  // JSON.parse makes own properties only, `__proto__` included.
  for (const key in value) {
    const problem =
      (hasEscapes ? findTextProblem(key) : undefined) ??
      findProblem((value as Record<string, unknown>)[key], levelsLeft - 1, hasEscapes);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findTextProblem(text: string): string | undefined {
  if (!text.isWellFormed()) return "The body has a text with half of a surrogate pair, which is not a character.";
  return text.includes("\0") ? "The body has a text with the character U+0000, which cannot be stored." : undefined;
}
