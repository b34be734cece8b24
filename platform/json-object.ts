import { DomainError } from "./errors.ts";

/** What JSON.parse makes of the text of an object. */
export type ParsedObject = Readonly<Record<string, unknown>>;

/** Deeper than data ever is, and far from what would exhaust the stack of whoever walks through it. */
const maxDepth = 100;

/** The database stores neither NUL nor halves of surrogate pairs. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

/** Reads the text of a JSON object. Throws VALIDATION_FAILED for anything else, and for what cannot be stored. */
export function parseJsonObject(field: string, text: string, maxBytes: number): ParsedObject {
  if (Buffer.byteLength(text) > maxBytes) throw refused(field, "TOO_LARGE", `must have at most ${maxBytes} bytes`);
  const value = parse(text);
  if (!isNested(value) || Array.isArray(value)) throw refused(field, "INVALID_JSON", "must be a JSON object");
  // Level by level: a text of brackets alone is deeper than the stack.
  let level: readonly object[] = [value];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw refused(field, "TOO_DEEP", `must not be nested deeper than ${maxDepth} levels`);
    if (!level.every(isStorableLevel)) throw refused(field, "NOT_ALLOWED", "has characters that are no text");
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

const refused = (field: string, code: string, message: string): DomainError =>
  new DomainError("VALIDATION_FAILED", { details: [{ field, code, message }] });

const isNested = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Looks at the keys and values of this object or array, and no deeper. */
const isStorableLevel = (item: object): boolean =>
  Object.entries(item).every(([key, value]) => isStorable(key) && (typeof value !== "string" || isStorable(value)));

type Defined<T> = string extends keyof T
  ? { [K in keyof T]: Exclude<T[K], undefined> }
  : { [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that have a value: those that are undefined are left out, and null stays. */
export const defined = <T extends object>(members: T): Defined<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
