import { DomainError } from "#platform/errors.ts";
import { standardDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { defineRoute, type Route } from "./route.ts";
import { answer, oneOf } from "./schema-parts.ts";

const base = { method: "GET", tag: "System", access: "public", dialect: standardDialect } as const;

export const systemRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "getHealth",
    path: "/healthz",
    summary: "Tell whether requests can be served",
    success: { status: 200, description: "Everything is ready.", schema: answer({ status: oneOf("ok") }) },
    errors: ["SERVICE_UNAVAILABLE"],
    call: async (_request, { checkReady }) => {
      try {
        await checkReady();
      } catch (error) {
        throw new DomainError("SERVICE_UNAVAILABLE", { cause: error });
      }
    },
    respond: () => jsonReply(200, { status: "ok" }),
  }),
  defineRoute({
    ...base,
    operationId: "getOpenApiDocument",
    path: "/openapi.json",
    summary: "Read this description of the API",
    success: { status: 200, description: "An OpenAPI 3.1.0 document.", schema: { type: "object" } },
    errors: [],
    call: async (_request, { reference }) => reference.document,
    respond: (document) => ({ status: 200, body: document, headers: { "Cache-Control": "no-cache" } }),
  }),
  defineRoute({
    ...base,
    operationId: "getReferencePage",
    path: "/docs",
    summary: "Read this description as a page",
    success: { status: 200, description: "A page without outside resources.", contentType: "text/html" },
    errors: [],
    call: async (_request, { reference }) => reference.page,
    respond: (page) => ({ status: 200, body: page, contentType: "text/html; charset=utf-8", headers: pageHeaders }),
  }),
];

const pageHeaders = {
  "Cache-Control": "no-cache",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
};
