import type { DomainError } from "./errors.ts";
import { refusedField } from "./problems.ts";

/** The result of parsing a JSON object. */
export type ParsedObject = Readonly<Record<string, unknown>>;

/** Deeper than real data, and far from exhausting the stack of recursive code. */
const maxDepth = 100;

/** Postgres stores neither NUL nor lone surrogates. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

/**
 * Parses a JSON object. Throws VALIDATION_FAILED, or what `refused` makes, for anything else and for what cannot be stored.
 */
export function parseJsonObject(
  field: string,
  text: string,
  maxBytes: number,
  refused: (field: string, code: string, message: string) => DomainError = refusedField,
): ParsedObject {
  if (Buffer.byteLength(text) > maxBytes) throw refused(field, "TOO_LARGE", `must have at most ${maxBytes} bytes`);
  const value = parse(text);
  if (!isNested(value) || Array.isArray(value)) throw refused(field, "INVALID_JSON", "must be a JSON object");
  // Level by level, because nested brackets can be deeper than the stack.
  let level: readonly object[] = [value];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw refused(field, "TOO_DEEP", `must not be nested deeper than ${maxDepth} levels`);
    if (!level.every(isStorableLevel))
      throw refused(field, "NOT_ALLOWED", "contains characters that cannot be stored as text");
    level = level.flatMap((item) => Object.values(item).filter(isNested));
  }
  return value as ParsedObject;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isNested = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Checks the keys and values of this object or array only, not deeper. */
const isStorableLevel = (item: object): boolean =>
  Object.entries(item).every(([key, value]) => isStorable(key) && (typeof value !== "string" || isStorable(value)));

type Defined<T> = string extends keyof T
  ? { [K in keyof T]: Exclude<T[K], undefined> }
  : { [K in keyof T]?: Exclude<T[K], undefined> };

/** Drops undefined members; null stays. */
export const defined = <T extends object>(members: T): Defined<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
