import { createHash } from "node:crypto";
import { sealVerification } from "#api/agreement-records.ts";
import { DomainError } from "#platform/errors.ts";
import { signDialect } from "../http/error-dialect.ts";
import { pageInOneFileReply } from "../http/page-reply.ts";
import { jsonReply } from "../http/reply.ts";
import { defineRoute, type Route } from "./route.ts";
import { signDocumentTag } from "./sign/documents.ts";
import { fileBody, fileErrors, fileInQuestionOf } from "./sign/file-in-question.ts";

/** Whoever is shown a sealed document can check it, customer or not. */
const base = { tag: signDocumentTag, access: "public", dialect: signDialect } as const;

const examplePem = "-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n";

export const verifyDocumentRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "getVerifyDocumentPage",
    method: "GET",
    path: "/verify/document",
    summary: "Check a sealed document in the browser",
    description: "The document does not leave the browser: the page asks with its SHA-256.",
    success: { status: 200, description: "A page without outside resources.", contentType: "text/html" },
    errors: ["NOT_FOUND"],
    call: async (_request, { documentPage }) => {
      if (documentPage === undefined) throw new DomainError("NOT_FOUND");
      return documentPage;
    },
    respond: pageInOneFileReply,
  }),
  defineRoute({
    ...base,
    operationId: "verifySealedDocument",
    method: "POST",
    path: "/verify/document",
    summary: "Ask whether a document was sealed here",
    description:
      "For everybody. Whoever has exactly the sealed file, or its SHA-256, is told who has signed it; of every other file, only which signatures it has.",
    body: fileBody,
    success: {
      status: 200,
      description: "What everybody may know of it.",
      schema: sealVerification.schemas.answer,
    },
    errors: fileErrors,
    call: (request, { sign }) => sign.verifySeal({ file: fileInQuestionOf(request) }, { timeoutMs: 30_000 }),
    respond: (found) => jsonReply(200, sealVerification.answer(found)),
  }),
  defineRoute({
    ...base,
    operationId: "getSealCertificates",
    method: "GET",
    path: "/.well-known/seal-certificates.pem",
    summary: "Read the certificates that documents are sealed with",
    description:
      "The certificate that seals, after it those up to its root, and then those of earlier keys. Trust them in your reader of PDFs.",
    success: {
      status: 200,
      description: "PEM.",
      contentType: "text/plain",
      textExamples: { "text/plain": examplePem },
      headers: { ETag: { description: "Of the text.", example: '"0123456789abcdef0123456789abcdef"', required: true } },
    },
    errors: ["SERVICE_UNAVAILABLE"],
    call: (_request, { sign }) => sign.getSealCertificate({}),
    respond: ({ certificates }) => ({
      status: 200,
      body: certificates,
      contentType: "text/plain; charset=utf-8",
      headers: {
        ETag: `"${createHash("sha256").update(certificates).digest("hex").slice(0, 32)}"`,
        "Cache-Control": "public, max-age=300",
      },
    }),
  }),
];
