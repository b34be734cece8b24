import type { MessageInitShape } from "@bufbuild/protobuf";
import type { JsonSchema } from "#api/kinds.ts";
import {
  type WordField,
  type WordFieldSchema,
  type WordFieldsOfDocument,
  WordFieldType,
} from "#gen/assent/sign/v1/sign_pb.ts";
import { flagText, type Written } from "../../../views/compat/scalars.ts";
import { jsonReply } from "../../http/reply.ts";
import { jsonBody, onBehalfOf, type Route } from "../../routes/route.ts";
import { listOf } from "../../routes/schema-parts.ts";
import { type Reader, readWith } from "../read/reader.ts";
import { compatQuery, defineCompatRoute } from "../route.ts";
import { looseBody, sampleId, textsAnswer } from "../schema-parts.ts";
import { envelopeTarget } from "../target.ts";
import { uploadTimeoutMs } from "./documents.ts";

const base = { tag: "Compatible documents", path: "/envelopes/{envelopeId}/docGenFormFields" } as const;

const fieldSchema = (rows: JsonSchema): JsonSchema =>
  textsAnswer(
    {
      name: "Candidate_Name",
      label: "Candidate_Name",
      type: "TextBox",
      required: "true",
      value: "Ann Example",
    },
    { rowValues: listOf(textsAnswer({}, { docGenFormFieldList: listOf(rows) }, ["docGenFormFieldList"])) },
    ["name", "label", "type", "required"],
  );

const answer = textsAnswer(
  {},
  {
    docGenFormFields: listOf(
      textsAnswer(
        { documentId: sampleId },
        {
          docGenFormFieldList: listOf(fieldSchema(fieldSchema({ type: "object" }))),
          docGenErrors: listOf(textsAnswer({ errorCode: "syntax_error", message: "A tag has to be closed." })),
        },
        ["documentId", "docGenFormFieldList"],
      ),
    ),
  },
  ["docGenFormFields"],
);

const body = jsonBody<object>({
  schema: looseBody({
    docGenFormFields: "For each document its documentId and its docGenFormFieldList of name and value, or rowValues.",
  }),
  maxBytes: 1024 * 1024,
  example: {
    docGenFormFields: [
      {
        documentId: "1",
        docGenFormFieldList: [
          { name: "Candidate_Name", value: "Ann Example" },
          {
            name: "Compensation_Package",
            type: "TableRow",
            rowValues: [{ docGenFormFieldList: [{ name: "Details", value: "$134,000" }] }],
          },
        ],
      },
    ],
  },
});

/** The fields of Word files, which DocuSign calls document generation. */
export const docGenFieldRoutes: readonly Route[] = [
  defineCompatRoute({
    ...base,
    scopes: ["sign:read"],
    operationId: "compatGetDocGenFormFields",
    method: "GET",
    summary: "List the fields of Word files",
    description:
      "Of the documents that were made of Word files with tags. `docGenErrors` says which tags of a file cannot be understood.",
    success: { status: 200, description: "The documents with their fields.", schema: answer },
    errors: [],
    call: (request, { sign }) =>
      sign.listWordFields(
        { target: envelopeTarget(request.params.envelopeId) },
        { ...onBehalfOf(request), timeoutMs: uploadTimeoutMs },
      ),
    respond: ({ documents }) => jsonReply(200, documentsView(documents)),
  }),
  defineCompatRoute({
    ...base,
    scopes: ["sign:write"],
    operationId: "compatUpdateDocGenFormFields",
    method: "PUT",
    summary: "Fill the fields of Word files",
    description:
      "Works for drafts only. Each document is made anew of its Word file and the values given, which must have every required field; its tabs stay. The file is kept, so values can be given again.",
    query: compatQuery({ update_docgen_formfields_only: "No effect: documents are always made anew." }),
    body,
    success: { status: 200, description: "The documents with their fields and values.", schema: answer },
    errors: [
      "ENVELOPE_CANNOT_BE_MODIFIED",
      "ENVELOPE_CONFLICT",
      "DOCUMENT_NOT_FOUND",
      "INVALID_DOCUMENT_FORMAT",
      "CORRUPTED_DOCUMENT",
      "DOCUMENT_TOO_LARGE",
    ],
    call: (request, { sign }) =>
      sign.fillWordFields(
        {
          target: envelopeTarget(request.params.envelopeId),
          documents: readWith(request.body, readDocuments),
          observed: request.observed,
        },
        { ...onBehalfOf(request), timeoutMs: uploadTimeoutMs },
      ),
    respond: ({ documents }) => jsonReply(200, documentsView(documents)),
  }),
];

const documentsView = (documents: readonly WordFieldsOfDocument[]): Written => ({
  docGenFormFields: documents.map(({ documentId, fields, problems }) => ({
    documentId,
    docGenFormFieldList: fields.map(fieldView),
    ...(problems.length === 0
      ? {}
      : { docGenErrors: problems.map(({ code, message }) => ({ errorCode: code, message })) }),
  })),
});

const types: Readonly<Record<WordFieldType, string>> = {
  [WordFieldType.UNSPECIFIED]: "TextBox",
  [WordFieldType.TEXT]: "TextBox",
  [WordFieldType.NUMBER]: "Number",
  [WordFieldType.DATE]: "Date",
  [WordFieldType.LIST]: "TableRow",
  [WordFieldType.CONDITION]: "Conditional",
};

function fieldView({ name, value, required, type, rows }: WordField): Written {
  const field = { name, label: name, type: types[type] ?? "TextBox", required: flagText(required) };
  if (type !== WordFieldType.LIST) return value === "" ? field : { ...field, value };
  return { ...field, rowValues: rows.map(({ fields }) => ({ docGenFormFieldList: fields.map(fieldView) })) };
}

function readDocuments(reader: Reader) {
  const documents = reader.objects("docGenFormFields").map((document) => {
    const documentId = (document.text("documentId") ?? "").trim();
    if (documentId === "") document.problem("documentId", "REQUIRED", "is required");
    return { documentId, fields: readFields(document, 0) };
  });
  if (documents.length === 0) reader.problem("docGenFormFields", "REQUIRED", "must have at least one document");
  return documents;
}

/** As deep as loops of a template can be. */
const maxDepth = 30;

const readFields = (reader: Reader, depth: number): MessageInitShape<typeof WordFieldSchema>[] =>
  reader.objects("docGenFormFieldList").map((field) => {
    const name = (field.text("name") ?? "").trim();
    if (name === "" || name.length > 200) field.problem("name", "LENGTH", "must have 1 to 200 characters");
    const rows = field.objects("rowValues");
    if (depth >= maxDepth && rows.length > 0) field.problem("rowValues", "TOO_DEEP", `must not be ${maxDepth} deep`);
    return {
      name,
      value: field.text("value") ?? "",
      rows: depth >= maxDepth ? [] : rows.map((row) => ({ fields: readFields(row, depth + 1) })),
    };
  });
