import type { FieldProblem } from "#platform/errors.ts";
import type { CustomField } from "./agreement.ts";
import type { DecisionContext } from "./change.ts";
import type { CustomFieldDefinition } from "./definition.ts";
import { problem, refuse, textProblems } from "./problems.ts";

export const maxCustomFields = 100;

/** Custom fields with ids of their own, whatever the definitions say. Throws VALIDATION_FAILED. */
export function newCustomFields(
  definitions: readonly CustomFieldDefinition[],
  { newId }: Pick<DecisionContext, "newId">,
): readonly CustomField[] {
  const taken = new Set<string>();
  const fields = definitions.map((definition) => ({ ...definition, fieldId: takeFieldId(taken, newId) }));
  refuse(customFieldProblems(fields));
  return fields;
}

/** Eleven digits of the random part of an id, because other ids may come from a sequence. */
export function takeFieldId(taken: Set<string>, newId: () => string): string {
  const smallest = 10_000_000_000n;
  let number = BigInt(`0x${newId().slice(-12)}`);
  let id = "";
  do {
    id = String(smallest + (number % (9n * smallest)));
    number += 1n;
  } while (taken.has(id));
  taken.add(id);
  return id;
}

const maxLength = 100;

/** What is wrong with the custom fields of an agreement, all of them together. */
export function customFieldProblems(fields: readonly CustomField[]): readonly FieldProblem[] {
  const names = new Set<string>();
  const problems = fields.flatMap((field, index) => {
    const isDuplicate = names.has(field.name);
    names.add(field.name);
    const at = `customFields[${index}]`;
    return [
      ...(isDuplicate ? [problem(`${at}.name`, "DUPLICATE", "must be unique")] : []),
      ...oneFieldProblems(field, at),
    ];
  });
  if (fields.length > maxCustomFields) {
    problems.push(problem("customFields", "TOO_MANY", `must be at most ${maxCustomFields}`));
  }
  return problems;
}

function oneFieldProblems({ name, value, kind, items }: CustomField, at: string): readonly FieldProblem[] {
  const problems = [...textProblems(name, maxLength, `${at}.name`), ...textProblems(value, maxLength, `${at}.value`)];
  if (name === "") problems.push(problem(`${at}.name`, "REQUIRED", "must not be empty"));
  for (const [index, item] of items.entries()) problems.push(...textProblems(item, maxLength, `${at}.items[${index}]`));
  if (kind === "list" && value !== "" && !items.includes(value)) {
    problems.push(problem(`${at}.value`, "NOT_A_CHOICE", "must be one of the items"));
  }
  return problems;
}
