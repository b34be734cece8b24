import type { DocumentRules, Route } from "../routes/route.ts";
import { withReferences } from "./components.ts";

type Json = Record<string, unknown>;

const digits = new Intl.NumberFormat("en");

/** The body of a request, in every form that it may have. */
export function requestBodyOf({
  schema,
  required,
  form,
  example,
  maxBytes,
  documents,
}: NonNullable<Route["body"]>): Json {
  const media = { schema: withReferences(schema), ...(example === undefined ? {} : { example }) };
  return {
    description: [`At most ${digits.format(maxBytes)} bytes.`, ...documentNotes(documents)].join(" "),
    required,
    content: {
      "application/json": media,
      ...(form ? { "application/x-www-form-urlencoded": media } : {}),
      ...(documents === undefined ? {} : documentContent(documents)),
    },
  };
}

/** OpenAPI 3.1 describes bytes by their type alone. */
const bytes: Json = {};

const documentContent = ({ multipart, raw }: DocumentRules): Json => ({
  ...(raw === "no" ? {} : { "application/pdf": bytes, "application/octet-stream": bytes }),
  ...(raw === "any" ? { "*/*": bytes } : {}),
  ...(multipart ? { "multipart/form-data": bytes } : {}),
});

function documentNotes(rules: DocumentRules | undefined): string[] {
  if (rules === undefined) return [];
  return [
    "Documents are Base64 (RFC 4648 §4); a document may have 25 MB.",
    ...(rules.multipart
      ? [
          'As multipart/form-data the first part is the JSON, and each further part the bytes of a document, with `Content-Disposition: file; filename="NDA.pdf"; documentid=1`.',
        ]
      : []),
    ...(rules.raw === "no" ? [] : ["Or the bytes of the document alone."]),
  ];
}
