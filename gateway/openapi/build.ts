import { type ErrorCode, errorCatalogue } from "#platform/errors.ts";
import { scopeMeanings } from "../auth/scopes.ts";
import { oauthDialect, oauthErrorName } from "../http/error-dialect.ts";
import type { Route } from "../routes/route.ts";
import { componentSchemas, errorSchema, oauthErrorSchema, withReferences } from "./components.ts";

type Json = Record<string, unknown>;

/** The OpenAPI 3.1.0 document of the routes. */
export function buildOpenApi(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const item = paths[route.path] ?? {};
    item[route.method.toLowerCase()] = operationOf(route);
    paths[route.path] = item;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Assent",
      version: "1.0.0",
      description:
        "Records agreements: click-acceptance with provable evidence, and the templates that are agreed to. Every request is scoped to the organization of its credential.",
    },
    servers: [{ url: "/" }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: { schemas: componentSchemas(), securitySchemes },
  };
}

const securitySchemes: Json = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description:
      "An API key, which may do everything, or an access token (JWT) with the scopes that the operation names.",
  },
  oauth: {
    type: "oauth2",
    flows: { clientCredentials: { tokenUrl: "/oauth2/token", scopes: scopeMeanings } },
  },
};

const operationOf = (route: Route): Json => ({
  operationId: route.operationId,
  tags: [route.tag],
  summary: route.summary,
  ...(route.description === undefined ? {} : { description: route.description }),
  ...(route.access === "public"
    ? { security: [] }
    : { security: [...route.access.scopes.map((scope) => ({ oauth: [scope] })), { bearer: [] }] }),
  parameters: parametersOf(route),
  ...(route.body === undefined ? {} : { requestBody: requestBodyOf(route.body) }),
  responses: responsesOf(route),
});

function parametersOf({ path, query, needsIdempotencyKey }: Route): Json[] {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", format: "uuid" },
  }));
  const queries = Object.entries(query?.properties ?? {}).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: false,
    ...(description === undefined ? {} : { description }),
    schema: withReferences(schema),
  }));
  return [...ids, ...queries, ...(needsIdempotencyKey === true ? [idempotencyKey] : []), requestId, traceparent];
}

const idempotencyKey: Json = {
  name: "X-Idempotency-Key",
  in: "header",
  required: true,
  description: "Unique to this acceptance within the organization, for ever, and the same on every retry.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
};
const requestId: Json = {
  name: "X-Request-Id",
  in: "header",
  required: false,
  description: "Your name for the request; given back on the response. One is made when it is absent or malformed.",
  schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$" },
};
const traceparent: Json = {
  name: "traceparent",
  in: "header",
  required: false,
  description: "W3C Trace Context.",
  schema: { type: "string" },
};

function requestBodyOf({ schema, required, form, example }: NonNullable<Route["body"]>): Json {
  const media = { schema: withReferences(schema), ...(example === undefined ? {} : { example }) };
  const forms = form ? { "application/x-www-form-urlencoded": { schema: withReferences(schema) } } : {};
  return { required, content: { "application/json": media, ...forms } };
}

function responsesOf(route: Route): Json {
  const { success } = route;
  const content = contentOf(success.schema, success.contentType);
  const headers = { ...headersOf(route), ...ownHeaders(success.headers ?? {}) };
  const responses: Json = { [success.status]: { description: success.description, headers, ...content } };
  for (const [status, description] of Object.entries(success.also ?? {})) {
    responses[status] = { description, headers, ...content };
  }
  for (const [status, codes] of Object.entries(errorsByStatus(route))) {
    responses[status] = errorResponse(codes, route);
  }
  return responses;
}

function contentOf(schema: Route["success"]["schema"], contentType = "application/json"): Json {
  if (schema === undefined && contentType === "application/json") return {};
  return { content: { [contentType]: { schema: withReferences(schema ?? { type: "string" }) } } };
}

function errorsByStatus(route: Route): Record<string, ErrorCode[]> {
  const codes = new Set<ErrorCode>([
    ...commonErrors(route),
    ...route.errors,
    ...Object.values<ErrorCode>(route.notFound ?? {}),
  ]);
  return Object.groupBy(codes, (code) => String(errorCatalogue[code].http)) as Record<string, ErrorCode[]>;
}

function commonErrors({ access, body, query, dialect }: Route): ErrorCode[] {
  const checksInput = body !== undefined || query !== undefined;
  return [
    ...(checksInput ? [dialect.validationFailed] : []),
    ...(body === undefined ? [] : (["UNSUPPORTED_MEDIA_TYPE", dialect.payloadTooLarge] as const)),
    ...(access === "public"
      ? []
      : (["UNAUTHORIZED", "INVALID_TOKEN", "TOKEN_EXPIRED", "INSUFFICIENT_SCOPE", dialect.rateLimited] as const)),
    "INTERNAL_ERROR",
    "SERVICE_UNAVAILABLE",
  ];
}

function errorResponse(codes: readonly ErrorCode[], route: Route): Json {
  const isOauth = route.dialect === oauthDialect;
  const examples = Object.fromEntries(
    codes.map((code) => {
      const { message } = errorCatalogue[code];
      return [
        code,
        {
          value: isOauth
            ? { error: oauthErrorName(code), error_description: message }
            : { errorCode: code, message, requestId: "…" },
        },
      ];
    }),
  );
  return {
    description: codes.join(", "),
    headers: headersOf(route),
    content: { "application/json": { schema: withReferences(isOauth ? oauthErrorSchema : errorSchema), examples } },
  };
}

/** Headers that every answer of the route carries. */
const headersOf = ({ access }: Route): Json => ({
  ...ownHeaders({ "X-Request-Id": "The id of this request.", traceparent: "W3C Trace Context." }),
  ...(access === "public" ? {} : rateLimitHeaders),
});

const ownHeaders = (meanings: Readonly<Record<string, string>>): Json =>
  Object.fromEntries(
    Object.entries(meanings).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
  );

const integerHeader = (description: string): Json => ({ description, schema: { type: "integer" } });

const rateLimitHeaders: Json = {
  "X-RateLimit-Limit": integerHeader("Requests allowed in the window."),
  "X-RateLimit-Remaining": integerHeader("Requests left in the window."),
  "X-RateLimit-Reset": integerHeader("Unix time in seconds at which the window resets."),
  "Retry-After": integerHeader("Seconds until the window resets; on a 503, until a retry makes sense."),
};
