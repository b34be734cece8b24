import type { FieldProblem } from "#platform/errors.ts";
import type { Agreement, CustomField } from "../agreement/agreement.ts";
import type { Change, DecisionContext } from "../agreement/change.ts";
import type { CustomFieldDefinition } from "../agreement/definition.ts";
import { draftModified, problem, refuse, requireModifiable, textProblems } from "../agreement/problems.ts";

const maxCustomFields = 100;

/** Creates custom fields with new ids, ignoring ids in the definitions. Throws VALIDATION_FAILED. */
export function newCustomFields(
  definitions: readonly CustomFieldDefinition[],
  { newId }: Pick<DecisionContext, "newId">,
): readonly CustomField[] {
  const taken = new Set<string>();
  const fields = definitions.map((definition) => ({ ...definition, fieldId: takeFieldId(taken, newId) }));
  refuse(customFieldProblems(fields));
  return fields;
}

/** Eleven digits from the random part of an id, so that they never collide with ids from a sequence. */
function takeFieldId(taken: Set<string>, newId: () => string): string {
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

/** Validates all custom fields of an agreement together. */
function customFieldProblems(fields: readonly CustomField[]): readonly FieldProblem[] {
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

interface ChangeCustomFields {
  /** Definitions with a fieldId change that field; others are added, or replace the field of the same name. */
  readonly set: readonly CustomFieldDefinition[];
  readonly removeFieldIds: readonly string[];
}

/** Sets and removes custom fields. */
export function changeCustomFields(
  agreement: Agreement,
  command: ChangeCustomFields,
  context: DecisionContext,
): Change {
  requireModifiable(agreement);
  const { set, removeFieldIds } = command;
  refuse(unknownIds(agreement, command));
  const removed = new Set(removeFieldIds);
  const taken = new Set(agreement.customFields.map(({ fieldId }) => fieldId));
  const fields = new Map(
    agreement.customFields.filter(({ fieldId }) => !removed.has(fieldId)).map((field) => [field.fieldId, field]),
  );
  for (const definition of set) {
    const field = settled(definition, fields, () => takeFieldId(taken, context.newId));
    fields.set(field.fieldId, field);
  }
  const customFields = [...fields.values()];
  refuse(customFieldProblems(customFields));
  const details = {
    customFieldsSet: set.map(({ name, fieldId }) => name || fieldId),
    customFieldsRemoved: removeFieldIds,
  };
  return draftModified({ ...agreement, customFields }, context, details);
}

function settled(
  definition: CustomFieldDefinition,
  fields: ReadonlyMap<string, CustomField>,
  newFieldId: () => string,
): CustomField {
  const { fieldId, name } = definition;
  // A field without a name keeps its name.
  if (fieldId !== "") return { ...definition, name: name || (fields.get(fieldId)?.name ?? "") };
  const sameName = [...fields.values()].find((field) => field.name === name);
  return { ...definition, fieldId: sameName?.fieldId ?? newFieldId() };
}

function unknownIds({ customFields }: Agreement, { set, removeFieldIds }: ChangeCustomFields): readonly FieldProblem[] {
  const known = new Set(customFields.map(({ fieldId }) => fieldId));
  const removed = new Set(removeFieldIds);
  const message = "must be the id of a custom field of the agreement";
  return [
    ...set.flatMap(({ fieldId }, index) =>
      fieldId === "" || (known.has(fieldId) && !removed.has(fieldId))
        ? []
        : [problem(`customFields[${index}].fieldId`, "NOT_FOUND", message)],
    ),
    ...removeFieldIds.flatMap((id, index) =>
      known.has(id) ? [] : [problem(`fieldIds[${index}]`, "NOT_FOUND", message)],
    ),
  ];
}
