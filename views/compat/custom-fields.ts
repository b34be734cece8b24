import type { CustomField } from "#gen/assent/sign/v1/agreement_pb.ts";
import { defined } from "#platform/json-object.ts";
import { flagText, type Written } from "./scalars.ts";

/** The `CustomFields` object. */
export const customFieldsView = (fields: readonly CustomField[]): { readonly [name: string]: Written } => ({
  textCustomFields: fields.filter(({ isList }) => !isList).map(fieldView),
  listCustomFields: fields.filter(({ isList }) => isList).map(fieldView),
});

const fieldView = ({ fieldId, name, value, show, required, isList, items }: CustomField): Written =>
  defined({
    fieldId,
    name,
    show: flagText(show),
    required: flagText(required),
    value,
    listItems: isList ? [...items] : undefined,
  });
