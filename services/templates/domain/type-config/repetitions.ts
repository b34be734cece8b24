import type { FieldProblem } from "#platform/errors.ts";
import { problem } from "../problems.ts";

/** A problem for each item whose key an earlier one has. */
export function repetitions<Key extends string>(
  list: string,
  key: Key,
  items: readonly Readonly<Record<Key, string>>[],
): FieldProblem[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    if (seen.has(item[key])) {
      return [problem(`${list}[${index}].${key}`, "NOT_UNIQUE", "must differ from those before it")];
    }
    seen.add(item[key]);
    return [];
  });
}
