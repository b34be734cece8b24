import type { FieldProblem } from "#platform/errors.ts";
import type { Agreement, CustomField } from "./agreement.ts";
import type { Change, DecisionContext } from "./change.ts";
import type { CustomFieldDefinition } from "./definition.ts";
import { requireModifiable } from "./modifiable.ts";
import { modified } from "./modified.ts";
import { customFieldProblems, takeFieldId } from "./new-custom-fields.ts";
import { problem, refuse } from "./problems.ts";

export interface ChangeCustomFields {
  /** Those with a fieldId change that one; the others are added, or take the place of the one with their name. */
  readonly set: readonly CustomFieldDefinition[];
  readonly removeFieldIds: readonly string[];
}

/** Sets custom fields, and removes others. */
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
  return modified({ ...agreement, customFields }, context, details);
}

function settled(
  definition: CustomFieldDefinition,
  fields: ReadonlyMap<string, CustomField>,
  newFieldId: () => string,
): CustomField {
  const { fieldId, name } = definition;
  // Without a name, it keeps the one it has.
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
