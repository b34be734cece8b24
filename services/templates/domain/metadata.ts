import type { FieldProblem } from "#platform/errors.ts";
import { memberPath } from "#platform/field-path.ts";
import { problem } from "./problems.ts";
import { characters } from "./text.ts";

const maxKeys = 50;
const maxCharacters = 500;

/** What is wrong with the metadata of a template. */
export function metadataProblems(metadata: Readonly<Record<string, string>>): FieldProblem[] {
  const entries = Object.entries(metadata);
  if (entries.length > maxKeys) return [problem("metadata", "TOO_MANY_KEYS", `must have at most ${maxKeys} keys`)];
  return entries.flatMap(([key, value]) => {
    if (characters(key) > maxCharacters) {
      return [problem("metadata", "TOO_LONG", `must have keys of at most ${maxCharacters} characters`)];
    }
    if (characters(value) <= maxCharacters) return [];
    return [problem(memberPath("metadata", key), "TOO_LONG", `must have at most ${maxCharacters} characters`)];
  });
}
