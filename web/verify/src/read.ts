import { fail } from "./finding.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";

/** The value at a path such as `integrity.log.treeSize`; null when it, or anything on the way to it, is absent. */
export function at(root: Json, path: string): Json {
  let value: Json = root;
  for (const name of path.split(".")) {
    // Own members only: a path must not lead to what every object inherits.
    value = isObject(value) && Object.hasOwn(value, name) ? (value[name] as Json) : null;
  }
  return value;
}

export const text = (root: Json, path: string): string => asText(at(root, path), path);

export const asText = (value: Json, name: string): string =>
  typeof value === "string" ? value : fail(isNot(value, name, "a text"));

export function object(root: Json, path: string): JsonObject {
  const value = at(root, path);
  return isObject(value) ? value : fail(isNot(value, path, "an object"));
}

export const list = (root: Json, path: string): readonly Json[] => asList(at(root, path), path);

export const asList = (value: Json, name: string): readonly Json[] =>
  Array.isArray(value) ? value : fail(isNot(value, name, "a list"));

export const texts = (root: Json, path: string): readonly string[] =>
  list(root, path).map((item) => asText(item, `an item of ${path}`));

/** The items of a list; none for what is no list. */
export const items = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);

/** A size or an index. */
export function count(root: Json, path: string): number {
  const value = at(root, path);
  return Number.isSafeInteger(value) && (value as number) >= 0
    ? (value as number)
    : fail(isNot(value, path, "a whole number"));
}

/** Milliseconds since 1970 of a time in the one form that bundles have. */
export function time(root: Json, path: string): number {
  const value = text(root, path);
  const ms = Date.parse(value);
  const isExact = !Number.isNaN(ms) && isoTime(ms) === value;
  return isExact ? ms : fail(`"${path}" is not a time such as 2026-11-20T17:00:00.000Z`);
}

export const timeOrNull = (root: Json, path: string): number | null =>
  at(root, path) === null ? null : time(root, path);

/** A time as bundles show it. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

function isNot(value: Json, name: string, wanted: string): string {
  if (value === null) return `"${name}" is missing`;
  const kind = Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : shortened(value);
  return `"${name}" is ${kind}, not ${wanted}`;
}

const shortened = (value: Json): string => JSON.stringify(value).slice(0, 60);
