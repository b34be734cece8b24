import { genErrorName } from "#api/generation-errors.ts";
import { type ErrorCode, errorCatalogue } from "#platform/errors.ts";
import { unbudgetedRouteBytes } from "../http/body-budget.ts";
import { genDialect, oauthDialect, oauthErrorName } from "../http/error-dialect.ts";
import { mindsLocks } from "../routes/edit-lock.ts";
import { isOpenWhileSuspended } from "../routes/require-scope.ts";
import type { Route, TextParam } from "../routes/route.ts";
import {
  errorSchema,
  exampleOf,
  genErrorExample,
  genErrorSchema,
  oauthErrorSchema,
  withReferences,
} from "./components.ts";
import { headersOf, ownHeaders } from "./headers.ts";

type Json = Record<string, unknown>;

/** The answers of an operation, by their statuses. */
export function responsesOf(route: Route): Json {
  const { success } = route;
  const content = contentOf(success);
  const answers: Readonly<Record<string, string>> = { [success.status]: success.description, ...success.also };
  const responses: Json = {};
  for (const [status, description] of Object.entries(answers)) {
    const headers = { ...headersOf(route, Number(status)), ...ownHeaders(success.headers ?? {}) };
    responses[status] = { description, headers, ...(Number(status) < 300 ? content : {}) };
  }
  for (const [status, codes] of Object.entries(errorsByStatus(route))) {
    responses[status] = errorResponse(Number(status), codes, route);
  }
  return responses;
}

function contentOf({ schema, contentType, alsoTypes = [], example, textExamples = {} }: Route["success"]): Json {
  if (schema === undefined && contentType === undefined) return {};
  const json = schema && { schema: withReferences(schema), example: example ?? exampleOf(schema) };
  const others = [...(schema === undefined ? [contentType ?? ""] : []), ...alsoTypes].map((type) => [
    type,
    type.startsWith("text/") || Object.hasOwn(textExamples, type)
      ? textMedia(textExamples[type] ?? typeExamples[type])
      : binaryMedia,
  ]);
  return {
    content: {
      ...(json === undefined ? {} : { [contentType ?? "application/json"]: json }),
      ...Object.fromEntries(others),
    },
  };
}

/** Of texts that say nothing of an operation. */
const typeExamples: Readonly<Record<string, string>> = {
  "text/html": '<!doctype html>\n<html lang="en">…</html>\n',
  "text/javascript": "export function verifyBundle(bundle, keys) { … }\n",
  "text/javascript; charset=utf-8": "(() => { … })();\n",
};

/** OpenAPI 3.1 describes bytes by their type alone. */
const binaryMedia: Json = {};

const textMedia = (example: string | undefined): Json => ({
  schema: { type: "string" },
  ...(example === undefined ? {} : { example }),
});

/** The errors that an operation can answer, by their statuses. */
export function errorsByStatus(route: Route): Record<string, ErrorCode[]> {
  const codes = new Set<ErrorCode>([
    ...commonErrors(route),
    ...route.errors,
    ...Object.values<ErrorCode>(route.notFound ?? {}),
    ...Object.values<TextParam>(route.texts ?? {}).flatMap(({ otherwise }) => otherwise ?? []),
  ]);
  return Object.groupBy(codes, (code) => String(errorCatalogue[code].http)) as Record<string, ErrorCode[]>;
}

function commonErrors({ access, method, path, body, query, texts, dialect }: Route): ErrorCode[] {
  const mayBeBad = Object.values<TextParam>(texts ?? {}).some(({ otherwise }) => otherwise === undefined);
  const checksInput = body !== undefined || query !== undefined || mayBeBad;
  return [
    ...(checksInput ? [dialect.validationFailed] : []),
    ...(mindsLocks({ access, method, path }) ? (["ENVELOPE_LOCKED"] as const) : []),
    ...(body === undefined ? [] : (["UNSUPPORTED_MEDIA_TYPE", tooLargeOf(body, dialect)] as const)),
    ...(body !== undefined && body.maxBytes > unbudgetedRouteBytes ? [dialect.busy] : []),
    ...(access === "public"
      ? []
      : ([
          ...["UNAUTHORIZED", "INVALID_TOKEN", "TOKEN_EXPIRED", "SESSION_ENDED", "INSUFFICIENT_SCOPE"],
          ...(method === "GET" ? [] : ["CSRF_TOKEN_INVALID"]),
          ...(method === "GET" || isOpenWhileSuspended(access) ? [] : ["ORGANIZATION_SUSPENDED"]),
          dialect.rateLimited,
        ] as ErrorCode[])),
    "INTERNAL_ERROR",
    "SERVICE_UNAVAILABLE",
  ];
}

const tooLargeOf = ({ documents }: NonNullable<Route["body"]>, { payloadTooLarge }: Route["dialect"]): ErrorCode =>
  documents === undefined ? payloadTooLarge : "DOCUMENT_TOO_LARGE";

function errorResponse(status: number, codes: readonly ErrorCode[], route: Route): Json {
  const nameOf = route.dialect === genDialect ? genErrorName : (code: ErrorCode) => code;
  return {
    description: codes.map((code) => `\`${nameOf(code)}\`: ${errorCatalogue[code].message}`).join("\n\n"),
    headers: headersOf(route, status),
    content: {
      "application/json": errorMedia(codes, route),
      ...(route.errorPages === true ? { "text/html": textMedia(typeExamples["text/html"]) } : {}),
    },
  };
}

function errorMedia(codes: readonly ErrorCode[], { dialect }: Route): Json {
  if (dialect === oauthDialect) {
    return {
      schema: oneOfThese(oauthErrorSchema, "error", [...new Set(codes.map(oauthErrorName))]),
      examples: Object.fromEntries(codes.map((code) => [code, { summary: code, value: oauthBody(code) }])),
    };
  }
  if (dialect === genDialect) {
    const named = codes.map((code) => [
      genErrorName(code),
      { summary: genErrorName(code), value: genErrorExample(code) },
    ]);
    return {
      schema: oneOfThese(genErrorSchema, "code", codes.map(genErrorName)),
      examples: Object.fromEntries(named),
    };
  }
  return {
    schema: oneOfThese(errorSchema, "errorCode", codes),
    examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
  };
}

/** The body of an error, with the codes that are possible here. */
const oneOfThese = (
  schema: Parameters<typeof withReferences>[0],
  property: string,
  codes: readonly string[],
): Json => ({
  allOf: [withReferences(schema), { properties: { [property]: { enum: codes } } }],
});

const oauthBody = (code: ErrorCode): Json => ({
  error: oauthErrorName(code),
  error_description: errorCatalogue[code].message,
});

const requestId = "01961234-5678-7abc-8def-0123456789ab";

/** The errors of operations that have the standard body, by their codes. */
export function componentExamples(routes: readonly Route[]): Json {
  const codes = new Set(
    routes
      .filter((route) => route.dialect !== oauthDialect && route.dialect !== genDialect)
      .flatMap((route) => Object.values(errorsByStatus(route)).flat()),
  );
  return Object.fromEntries(
    [...codes].sort().map((code) => {
      const { message } = errorCatalogue[code];
      const details = /VALIDATION_FAILED$/.test(code) ? { details: [badField] } : {};
      return [code, { summary: code, value: { errorCode: code, message, requestId, ...details } }];
    }),
  );
}

const badField = { field: "name", code: "REQUIRED", message: "is required" };
