import { customFieldsSchema, customFieldsView, readCustomFields } from "#api/compat-records.ts";
import { jsonReply } from "../../http/reply.ts";
import { jsonBody, onBehalfOf, type Route } from "../../routes/route.ts";
import { required } from "../../routes/schema-parts.ts";
import { readFieldIds } from "../read/definition.ts";
import { type Reader, readWith } from "../read/reader.ts";
import { defineCompatRoute } from "../route.ts";
import { customFieldsBody, customFieldsExample } from "./envelope-schemas.ts";
import { type Holder, targetIn } from "./recipients.ts";

const body = jsonBody<object>({ schema: customFieldsBody, example: customFieldsExample });
const byIds = jsonBody<object>({
  schema: customFieldsBody,
  example: { textCustomFields: [{ fieldId: "10728261959", name: "orderId" }] },
});
const errors = ["ENVELOPE_CANNOT_BE_MODIFIED"] as const;

export const customFieldRoutes = (holder: Holder): readonly Route[] => {
  const { name, noun, root, tag } = holder;
  const path = `${root}/custom_fields` as const;
  const change = { tag, scopes: ["sign:write"], path, errors } as const;
  return [
    defineCompatRoute({
      tag,
      scopes: ["sign:read"],
      operationId: `compatList${name}CustomFields`,
      method: "GET",
      path,
      summary: `Read the custom fields of ${noun}`,
      success: { status: 200, description: "The custom fields.", schema: customFieldsSchema },
      errors: [],
      call: (request, { sign }) => sign.getAgreement({ target: targetIn(holder, request) }, onBehalfOf(request)),
      respond: ({ agreement }) => jsonReply(200, customFieldsView(required(agreement).customFields)),
    }),
    defineCompatRoute({
      ...change,
      operationId: `compatCreate${name}CustomFields`,
      method: "POST",
      summary: `Add custom fields to ${noun}`,
      description: "A field with an existing name replaces that field.",
      body,
      success: { status: 201, description: "The ones that were added.", schema: customFieldsSchema },
      call: async (request, { sign }) => {
        // The ids that a client sends with new fields are ignored.
        const set = readWith(request.body, someFields).map((field) => ({ ...field, fieldId: "" }));
        const { observed } = request;
        const changed = { target: targetIn(holder, request), set, observed };
        const { agreement } = await sign.changeCustomFields(changed, onBehalfOf(request));
        const names = new Set(set.map((field) => field.name));
        return required(agreement).customFields.filter((field) => names.has(field.name));
      },
      respond: (added) => jsonReply(201, customFieldsView(added)),
    }),
    defineCompatRoute({
      ...change,
      operationId: `compatUpdate${name}CustomFields`,
      method: "PUT",
      summary: `Change custom fields of ${noun}`,
      description: "Identified by fieldId or name.",
      body,
      success: { status: 200, description: "All custom fields after the change.", schema: customFieldsSchema },
      call: (request, { sign }) => {
        const set = readWith(request.body, someFields);
        const { observed } = request;
        return sign.changeCustomFields({ target: targetIn(holder, request), set, observed }, onBehalfOf(request));
      },
      respond: ({ agreement }) => jsonReply(200, customFieldsView(required(agreement).customFields)),
    }),
    defineCompatRoute({
      ...change,
      operationId: `compatDelete${name}CustomFields`,
      method: "DELETE",
      summary: `Remove custom fields from ${noun}`,
      description: "Identified by fieldId.",
      body: byIds,
      success: { status: 200, description: "The remaining ones.", schema: customFieldsSchema },
      call: (request, { sign }) => {
        const removeFieldIds = readWith(request.body, readFieldIds);
        const { observed } = request;
        const removed = { target: targetIn(holder, request), removeFieldIds, observed };
        return sign.changeCustomFields(removed, onBehalfOf(request));
      },
      respond: ({ agreement }) => jsonReply(200, customFieldsView(required(agreement).customFields)),
    }),
  ];
};

function someFields(reader: Reader) {
  const fields = readCustomFields(reader);
  if (fields.length === 0) reader.problem("textCustomFields", "REQUIRED", "or listCustomFields is required");
  return fields;
}
