import { type ErrorCode, errorCatalogue } from "#platform/errors.ts";
import { scopeMeanings } from "../auth/scopes.ts";
import { oauthDialect, oauthErrorName } from "../http/error-dialect.ts";
import { type JsonSchema, paramsOf, type Route, type TextParam } from "../routes/route.ts";
import { componentSchemas, errorSchema, oauthErrorSchema, withReferences } from "./components.ts";
import { exampleOf } from "./example.ts";

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
  renderToken: {
    type: "apiKey",
    in: "query",
    name: "token",
    description: "The render token of a session: lets a browser render that session, and nothing else.",
  },
};

const operationOf = (route: Route): Json => ({
  operationId: route.operationId,
  tags: [route.tag],
  summary: route.summary,
  ...(route.description === undefined ? {} : { description: route.description }),
  security: securityOf(route),
  parameters: parametersOf(route),
  ...(route.body === undefined ? {} : { requestBody: requestBodyOf(route.body) }),
  responses: responsesOf(route),
});

function securityOf({ access }: Route): Json[] {
  if (access === "public") return [];
  const tokens = access.renderToken === true ? [{ renderToken: [] }] : [];
  return [...access.scopes.map((scope) => ({ oauth: [scope] })), { bearer: [] }, ...tokens];
}

function parametersOf(route: Route): Json[] {
  const texts: Readonly<Record<string, TextParam>> = route.texts ?? {};
  const inPath = paramsOf(route.path).map((name) => {
    const schema = texts[name]?.schema ?? { type: "string", format: "uuid" };
    return parameter("path", name, schema, true);
  });
  const inQuery = Object.entries(route.query?.properties ?? {}).map(([name, schema]) =>
    parameter("query", name, schema, route.query?.required.includes(name) === true),
  );
  const inHead = Object.entries(route.headerParams ?? {}).map(([name, { description, schema }]) =>
    parameter("header", name, { ...schema, description }, false),
  );
  const key =
    route.idempotencyKey === undefined ? [] : [{ ...idempotencyKey, required: route.idempotencyKey === "required" }];
  return [...inPath, ...inQuery, ...inHead, ...key, requestId, traceparent];
}

const parameter = (place: string, name: string, { description, ...schema }: JsonSchema, required: boolean): Json => ({
  name,
  in: place,
  required,
  ...(description === undefined ? {} : { description }),
  schema: withReferences(schema),
  example: exampleOf(schema, name),
});

const idempotencyKey: Json = {
  name: "X-Idempotency-Key",
  in: "header",
  description: "Unique to this record within the organization, for ever, and the same on every retry.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
  example: "order-1042-terms",
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
  const content = contentOf(success);
  const headers = { ...headersOf(route), ...ownHeaders(success.headers ?? {}) };
  const responses: Json = { [success.status]: { description: success.description, headers, ...content } };
  for (const [status, description] of Object.entries(success.also ?? {})) {
    responses[status] = { description, headers, ...(Number(status) < 300 ? content : {}) };
  }
  for (const [status, codes] of Object.entries(errorsByStatus(route))) {
    responses[status] = errorResponse(codes, route);
  }
  return responses;
}

function contentOf({ schema, contentType, alsoTypes = [], example, textExamples = {} }: Route["success"]): Json {
  if (schema === undefined && contentType === undefined) return {};
  const json = schema && { schema: withReferences(schema), example: example ?? exampleOf(schema) };
  const others = [...(schema === undefined ? [contentType ?? ""] : []), ...alsoTypes].map((type) => [
    type,
    type.startsWith("text/") ? textMedia(textExamples[type]) : {},
  ]);
  return {
    content: {
      ...(json === undefined ? {} : { [contentType ?? "application/json"]: json }),
      ...Object.fromEntries(others),
    },
  };
}

const textMedia = (example: string | undefined): Json => ({
  schema: { type: "string" },
  ...(example === undefined ? {} : { example }),
});

function errorsByStatus(route: Route): Record<string, ErrorCode[]> {
  const codes = new Set<ErrorCode>([
    ...commonErrors(route),
    ...route.errors,
    ...Object.values<ErrorCode>(route.notFound ?? {}),
    ...Object.values<TextParam>(route.texts ?? {}).flatMap(({ otherwise }) => otherwise ?? []),
  ]);
  return Object.groupBy(codes, (code) => String(errorCatalogue[code].http)) as Record<string, ErrorCode[]>;
}

function commonErrors({ access, body, query, texts, dialect }: Route): ErrorCode[] {
  const mayBeBad = Object.values<TextParam>(texts ?? {}).some(({ otherwise }) => otherwise === undefined);
  const checksInput = body !== undefined || query !== undefined || mayBeBad;
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
