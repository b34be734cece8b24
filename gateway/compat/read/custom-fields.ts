import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CustomFieldSchema } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { Reader } from "./reader.ts";

export type CustomFieldInit = MessageInitShape<typeof CustomFieldSchema>;

/** The fields of a `CustomFields` object: texts first, then lists. */
export function readCustomFields(fields: Reader | undefined): CustomFieldInit[] {
  if (fields === undefined) return [];
  return [
    ...fields.objects("textCustomFields").map((field) => ({ ...readField(field), isList: false })),
    ...fields.objects("listCustomFields").map((field) => ({
      ...readField(field),
      isList: true,
      items: [...field.texts("listItems")],
    })),
  ];
}

/** The ids of the fields of a `CustomFields` object. */
export const readFieldIds = (fields: Reader): string[] =>
  ["textCustomFields", "listCustomFields"].flatMap((property) =>
    fields.objects(property).flatMap((field) => {
      const id = field.text("fieldId")?.trim() ?? "";
      if (id === "") field.problem("fieldId", "REQUIRED", "is required");
      return id === "" ? [] : [id];
    }),
  );

const readField = (field: Reader) => ({
  fieldId: field.text("fieldId")?.trim() ?? "",
  name: field.text("name") ?? "",
  value: field.text("value") ?? "",
  show: field.flag("show") ?? false,
  required: field.flag("required") ?? false,
});
