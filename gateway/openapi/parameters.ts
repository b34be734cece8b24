import type { JsonSchema } from "#api/kinds.ts";
import type { ErrorCode } from "#platform/errors.ts";
import { lockHeadersOf } from "../routes/edit-lock.ts";
import { type DocumentRules, isForPeople, paramsOf, type Route, type TextParam } from "../routes/route.ts";
import { exampleOf, withReferences } from "./components.ts";

type Json = Record<string, unknown>;

/** The parameters of an operation, those of every operation included. */
export function parametersOf(route: Route): Json[] {
  const inPath = paramsOf(route.path).map((name) => parameter("path", name, pathSchema(name, route), true));
  const inQuery = Object.entries(route.query?.properties ?? {}).map(([name, schema]) =>
    parameter("query", name, schema, route.query?.required.includes(name) === true),
  );
  const inHead = Object.entries({ ...route.headerParams, ...lockHeadersOf(route) }).map(
    ([name, { description, schema }]) => parameter("header", name, { ...schema, description }, false),
  );
  const key = route.idempotencyKey === undefined ? [] : [reference(keyNames[route.idempotencyKey])];
  const csrf = isForPeople(route) && route.method !== "GET" ? [reference("CsrfToken")] : [];
  return [...inPath, ...inQuery, ...inHead, ...key, ...csrf, reference("RequestId"), reference("Traceparent")];
}

const reference = (name: string): Json => ({ $ref: `#/components/parameters/${name}` });
const keyNames = { required: "IdempotencyKey", optional: "OptionalIdempotencyKey" } as const;

function pathSchema(name: string, { texts = {}, notFound = {} }: Route): JsonSchema {
  const text = (texts as Readonly<Record<string, TextParam>>)[name];
  if (text !== undefined) return text.schema;
  const code = (notFound as Readonly<Record<string, ErrorCode>>)[name];
  return { type: "string", format: "uuid", description: idMeanings[code ?? "NOT_FOUND"] ?? "An id." };
}

/** The error code for an unknown id tells what the id names. */
const idMeanings: Readonly<Partial<Record<ErrorCode, string>>> = {
  CLICK_TEMPLATE_NOT_FOUND: "The id of the template.",
  CLICK_VERSION_NOT_FOUND: "The id of the version.",
  CLICK_SESSION_NOT_FOUND: "The id of the session.",
  CLICK_EVIDENCE_NOT_FOUND: "The id of the session; of an acceptance without a session, its receiptId.",
  CLICK_RECEIPT_NOT_FOUND: "The id of the receipt.",
  CLICK_DEPLOYMENT_NOT_FOUND: "The id of the deployment.",
  GEN_TEMPLATE_NOT_FOUND: "The id of the template.",
  GEN_ASSET_NOT_FOUND: "The id of the image.",
  GEN_DOCUMENT_NOT_FOUND: "The id of the document.",
  GEN_BATCH_NOT_FOUND: "The id of the batch.",
  ENVELOPE_NOT_FOUND: "The id of the agreement.",
  ATTACHMENT_NOT_FOUND: "The id of the attachment.",
  TEMPLATE_NOT_FOUND: "The id of the template.",
  BULK_LIST_NOT_FOUND: "The id of the bulk list.",
  BULK_BATCH_NOT_FOUND: "The id of the batch.",
  USER_NOT_FOUND: "The id of the user.",
  USER_SESSION_NOT_FOUND: "The id of the session.",
  PASSKEY_NOT_FOUND: "The id of the passkey.",
  WEBHOOK_ENDPOINT_NOT_FOUND: "The id of the endpoint.",
  WEBHOOK_DELIVERY_NOT_FOUND: "The id of the delivery.",
  CONNECT_SECRET_NOT_FOUND: "The id of the key.",
};

const parameter = (place: string, name: string, { description, ...schema }: JsonSchema, required: boolean): Json => ({
  name,
  in: place,
  required,
  ...(description === undefined ? {} : { description }),
  schema: withReferences(schema),
  example: exampleOf(schema, name),
});

const idempotencyKey = (required: boolean): Json => ({
  name: "X-Idempotency-Key",
  in: "header",
  required,
  description: "Unique within the organization, forever; the same on every retry.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
  example: "order-1042-terms",
});

/** Parameters of many operations, by the names under which the document holds them. */
export const componentParameters: Json = {
  IdempotencyKey: idempotencyKey(true),
  OptionalIdempotencyKey: idempotencyKey(false),
  CsrfToken: {
    name: "X-CSRF-Token",
    in: "header",
    required: true,
    description: "The csrfToken of the session, from GET /v1/dashboard/session or the sign-in response.",
    schema: { type: "string" },
    example: "0123456789abcdefABCD-_0123456789abcdefABCDE",
  },
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description: "Your ID for the request, returned with the response. If it is absent or malformed, one is generated.",
    schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$" },
    example: "01961234-5678-7abc-8def-0123456789ab",
  },
  Traceparent: {
    name: "traceparent",
    in: "header",
    required: false,
    description: "W3C Trace Context of the request.",
    schema: { type: "string" },
    example: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  },
};

const digits = new Intl.NumberFormat("en");

/** The body of a request, in every form that it may have. */
export function requestBodyOf({
  schema,
  required,
  form,
  example,
  maxBytes,
  documents,
  messageTypes = [],
}: NonNullable<Route["body"]>): Json {
  const media = { schema: withReferences(schema), ...(example === undefined ? {} : { example }) };
  return {
    description: [`At most ${digits.format(maxBytes)} bytes.`, ...documentNotes(documents)].join(" "),
    required,
    content: {
      "application/json": media,
      ...(form ? { "application/x-www-form-urlencoded": media } : {}),
      ...Object.fromEntries(messageTypes.map((type) => [type, type.startsWith("text/") ? messageText : bytes])),
      ...(documents === undefined ? {} : documentContent(documents)),
    },
  };
}

/** OpenAPI 3.1 describes bytes by their type alone. */
const bytes: Json = {};
const messageText: Json = { schema: { type: "string" }, example: "The message." };

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
