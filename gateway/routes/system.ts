import { DomainError } from "#platform/errors.ts";
import { prefers } from "../http/accept.ts";
import { standardDialect } from "../http/error-dialect.ts";
import { isKnown } from "../http/file-reply.ts";
import { jsonReply, type Reply } from "../http/reply.ts";
import { referencePagePolicy, type ServedReference } from "../openapi/reference.ts";
import type { StaticFile } from "../static-file.ts";
import { defineRoute, type Route, type RouteRequest } from "./route.ts";
import { answer, anyText, described, example, oneOf } from "./schema-parts.ts";

const base = { method: "GET", tag: "System", access: "public", dialect: standardDialect } as const;

const revalidated = {
  headerParams: {
    "If-None-Match": {
      description: "The ETag of what you have.",
      schema: { type: "string", examples: ['"0123456789abcdef0123456789abcdef"'] },
    },
  },
} as const;
const revalidatedSuccess = {
  headers: {
    ETag: { description: "SHA-256 of the bytes.", example: '"0123456789abcdef0123456789abcdef"', required: true },
  },
  also: { 304: "What If-None-Match names is still what there is." },
} as const;

export const systemRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "getHome",
    path: "/",
    summary: "Identify the installation",
    description:
      "The version and the addresses of the dashboard, this reference and the evidence check: as JSON, or as a page for clients that prefer HTML, such as browsers.",
    ...revalidated,
    success: {
      status: 200,
      description: "The installation.",
      schema: answer({
        name: oneOf("Assent"),
        version: described(anyText, "Of this installation."),
        description: anyText,
        dashboard: oneOf("/dashboard/"),
        reference: oneOf("/docs"),
        openapi: oneOf("/openapi.json"),
        verify: oneOf("/verify"),
      }),
      alsoTypes: ["text/html"],
      textExamples: { "text/html": "<h1>Assent</h1>" },
      ...revalidatedSuccess,
      headers: { ETag: { ...revalidatedSuccess.headers.ETag, description: "Of the page.", required: false } },
    },
    errors: [],
    call: async (_request, { home }) => home,
    respond: ({ page, pagePolicy, facts }, { headers }) => {
      // Caches must not give one form to those who ask for the other.
      const vary = { Vary: "Accept" };
      if (!prefers(headers.accept, "text/html", "application/json")) {
        const reply = jsonReply(200, facts);
        return { ...reply, headers: { ...reply.headers, ...vary, "Cache-Control": "no-cache" } };
      }
      const reply = fileReply(page, "text/html; charset=utf-8", headers);
      const policy = { "Content-Security-Policy": pagePolicy, "Referrer-Policy": "no-referrer" };
      return { ...reply, headers: { ...reply.headers, ...vary, ...policy } };
    },
  }),
  defineRoute({
    ...base,
    operationId: "getHealth",
    path: "/healthz",
    summary: "Check liveness",
    description:
      "For load balancers: whether this gateway has started. It then stays ready even without its database or a service (/readyz reports these); requests that need them get 503 with Retry-After. Never rate-limited.",
    success: { status: 200, description: "The gateway has started.", schema: answer({ status: oneOf("ok") }) },
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
    operationId: "getReadiness",
    path: "/readyz",
    summary: "Check readiness",
    description:
      "For people and monitors: asks each service behind the gateway, and the database. While one is unavailable, requests that need it get 503 within a second and everything else works, so load balancers should use /healthz.",
    success: { status: 200, description: "Everything is available.", schema: answer({ status: oneOf("ready") }) },
    errors: ["SERVICE_UNAVAILABLE"],
    call: async (_request, { findMissing }) => {
      const missing = await findMissing();
      if (missing.length === 0) return;
      throw new DomainError("SERVICE_UNAVAILABLE", {
        message: `Missing: ${missing.join(", ")}.`,
        details: missing.map((field) => ({ field, code: "UNAVAILABLE", message: "does not answer that it is ready" })),
      });
    },
    respond: () => jsonReply(200, { status: "ready" }),
  }),
  defineRoute({
    ...base,
    operationId: "getOpenApiDocument",
    path: "/openapi.json",
    summary: "Read this description of the API",
    description:
      "Generated from the table that serves the requests. It changes only with a release, so use If-None-Match.",
    ...revalidated,
    success: {
      status: 200,
      description: "An OpenAPI 3.1.0 document.",
      schema: {
        type: "object",
        examples: [{ openapi: "3.1.0", info: { title: "Assent", version: "0.1.0" }, paths: {} }],
      },
      ...revalidatedSuccess,
    },
    errors: [],
    call: async (_request, { reference }) => reference.document,
    respond: (document, { headers }) => fileReply(document, "application/json; charset=utf-8", headers),
  }),
  defineRoute({
    ...base,
    operationId: "getReferencePage",
    path: "/docs",
    summary: "Read this description as pages",
    description: "This reference for people to read. The page links to one page per area.",
    ...revalidated,
    success: {
      status: 200,
      description: "A page without outside resources.",
      contentType: "text/html",
      ...revalidatedSuccess,
    },
    errors: [],
    call: (_request, { reference }) => reference.readFile(""),
    respond: referenceReply,
  }),
  defineRoute({
    ...base,
    operationId: "getReferenceFile",
    path: "/docs/{page}",
    summary: "Read a page of this description",
    description: "The operations of one area with code in several languages, or a file that the pages load.",
    ...revalidated,
    texts: {
      page: {
        schema: example(
          { type: "string", pattern: "^[a-z.-]{1,100}$", description: "The name of the area in small letters." },
          "acceptances",
        ),
        names: "referencePage",
        otherwise: "NOT_FOUND",
      },
    },
    success: {
      status: 200,
      description: "The page.",
      contentType: "text/html",
      alsoTypes: ["text/css", "text/javascript", "text/plain"],
      textExamples: { "text/css": "main { color: black }\n", "text/javascript": '"use strict";\n', "text/plain": "[]" },
      ...revalidatedSuccess,
    },
    errors: ["NOT_FOUND"],
    call: ({ params }, { reference }) => reference.readFile(params.page ?? ""),
    respond: referenceReply,
  }),
];

function referenceReply(file: ServedReference | undefined, { headers }: Pick<RouteRequest, "headers">): Reply {
  if (file === undefined) throw new DomainError("NOT_FOUND");
  const reply = fileReply(file, file.contentType, headers);
  const policy = { "Content-Security-Policy": referencePagePolicy, "Referrer-Policy": "no-referrer" };
  return { ...reply, headers: { ...reply.headers, ...policy } };
}

/** Clients may keep it, but ask each time whether it is still the same. */
function fileReply({ bytes, etag }: StaticFile, contentType: string, sent: RouteRequest["headers"]): Reply {
  const headers = { ETag: etag, "Cache-Control": "no-cache" };
  return isKnown(sent["if-none-match"], etag)
    ? { status: 304, body: undefined, headers }
    : { status: 200, body: bytes, isShared: true, contentType, headers };
}
