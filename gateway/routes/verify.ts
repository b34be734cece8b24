import { DomainError } from "#platform/errors.ts";
import { standardDialect } from "../http/error-dialect.ts";
import { pageInOneFileReply } from "../http/page-reply.ts";
import type { Verifier } from "../verifier.ts";
import { defineRoute, type Route } from "./route.ts";
import type { Services } from "./services.ts";

/** Whoever is shown evidence can check it, customer or not. */
const base = {
  method: "GET",
  tag: "Evidence",
  access: "public",
  dialect: standardDialect,
  errors: ["NOT_FOUND"],
} as const;

export const verifyRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "getVerifyPage",
    path: "/verify",
    summary: "Check an evidence bundle in the browser",
    description: "The bundle does not leave the browser, and the page works offline once it is saved.",
    success: { status: 200, description: "A page without outside resources.", contentType: "text/html" },
    call: async (_request, services) => requireVerifier(services),
    respond: pageInOneFileReply,
  }),
  defineRoute({
    ...base,
    operationId: "getVerifier",
    path: "/verify/verify-bundle.mjs",
    summary: "Download the verifier of evidence bundles",
    description:
      "One readable file without dependencies, for Node 20 and later: node verify-bundle.mjs bundle.json --keys keys.json. Programs import its function verifyBundle.",
    success: { status: 200, description: "The verifier.", contentType: "text/javascript" },
    call: async (_request, services) => requireVerifier(services),
    respond: ({ script }) => ({
      status: 200,
      body: script.source,
      contentType: "text/javascript; charset=utf-8",
      headers: {
        ETag: script.etag,
        "Cache-Control": "no-cache",
        "Content-Disposition": 'attachment; filename="verify-bundle.mjs"',
      },
    }),
  }),
];

function requireVerifier({ verifier }: Services): Verifier {
  if (verifier === undefined) throw new DomainError("NOT_FOUND");
  return verifier;
}
