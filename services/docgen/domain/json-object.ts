import type { JsonObject } from "@bufbuild/protobuf";
import { invalid, problem } from "./problems.ts";
import { isStorable } from "./text.ts";

/** Deeper than any real data, and far from exhausting the stack of code that walks through it. */
const maxDepth = 100;

/**
 * Parses the text of a JSON object; throws GEN_INVALID_REQUEST for anything else, and for values that cannot be stored.
 */
export function parseJsonObject(field: string, text: string): JsonObject {
  const value = parse(text);
  if (!isObject(value)) throw invalid(problem(field, "INVALID_JSON", "must be a JSON object"));
  // Checked level by level without recursion, since a text of brackets alone would exhaust the stack.
  let level: unknown[] = [value];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth)
      throw invalid(problem(field, "TOO_DEEP", `must not be nested deeper than ${maxDepth} levels`));
    if (!level.every(isStorableLevel)) {
      throw invalid(problem(field, "INVALID_TEXT", "must have texts and keys of valid Unicode without U+0000"));
    }
    level = level.flatMap((item) => Object.values(item as object).filter(isNested));
  }
  return value as JsonObject;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isNested = (value: unknown): boolean => typeof value === "object" && value !== null;

const isObject = (value: unknown): boolean => isNested(value) && !Array.isArray(value);

/** Checks the keys and values of this object or array, but not those nested in it. */
const isStorableLevel = (item: unknown): boolean =>
  Object.entries(item as object).every(
    ([key, value]) => isStorable(key) && (typeof value !== "string" || isStorable(value)),
  );
