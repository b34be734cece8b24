import { createHash } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { documentVerification, type FileBody, fileInQuestion, sealVerification } from "#api/agreement-records.ts";
import { closed } from "#api/resource.ts";
import type { FileInQuestionSchema } from "#gen/assent/sign/v1/verification_pb.ts";
import { DomainError, type ErrorCode } from "#platform/errors.ts";
import { refusedField } from "#platform/problems.ts";
import { signDialect, standardDialect } from "../http/error-dialect.ts";
import { pageInOneFileReply } from "../http/file-reply.ts";
import { jsonReply } from "../http/reply.ts";
import type { Verifier } from "../verifier.ts";
import { defineRoute, documentBody, type Route, type RouteRequest } from "./route.ts";
import type { Services } from "./services.ts";
import { read, signBase, withDocuments } from "./sign/base.ts";
import { signDocumentTag } from "./sign/documents.ts";

/** Whoever is shown evidence or a sealed document can check it, customer or not. */
const evidenceBase = {
  method: "GET",
  tag: "Evidence",
  access: "public",
  dialect: standardDialect,
  errors: ["NOT_FOUND"],
} as const;

export const verifyRoutes: readonly Route[] = [
  defineRoute({
    ...evidenceBase,
    operationId: "getVerifyPage",
    path: "/verify",
    summary: "Check an evidence bundle in the browser",
    description: "The bundle doesn't leave the browser, and the page works offline once it is saved.",
    success: { status: 200, description: "A page without outside resources.", contentType: "text/html" },
    call: async (_request, services) => requireVerifier(services),
    respond: pageInOneFileReply,
  }),
  defineRoute({
    ...evidenceBase,
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
      isShared: true,
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

const sealBase = { tag: signDocumentTag, access: "public", dialect: signDialect } as const;

const examplePem = "-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n";

/** A misspelt member would leave the question open. */
const fileBody = documentBody<FileBody>({
  schema: { ...fileInQuestion.schemas.create, ...closed },
  raw: "pdf",
  example: { sha256: "0123456789abcdef".repeat(4) },
});

const fileErrors: readonly ErrorCode[] = ["INVALID_BASE64", "DOCUMENT_TOO_LARGE", "SERVICE_UNAVAILABLE"];

export const verifyDocumentRoutes: readonly Route[] = [
  defineRoute({
    ...sealBase,
    operationId: "getVerifyDocumentPage",
    method: "GET",
    path: "/verify/document",
    summary: "Check a sealed document in the browser",
    description: "The document doesn't leave the browser: the page sends its SHA-256.",
    success: { status: 200, description: "A page without outside resources.", contentType: "text/html" },
    errors: ["NOT_FOUND"],
    call: async (_request, { documentPage }) => {
      if (documentPage === undefined) throw new DomainError("NOT_FOUND");
      return documentPage;
    },
    respond: pageInOneFileReply,
  }),
  defineRoute({
    ...sealBase,
    operationId: "verifySealedDocument",
    method: "POST",
    path: "/verify/document",
    summary: "Check whether a document was sealed here",
    description:
      "Public. For exactly a sealed file, or its SHA-256, you get who signed it; for any other file, only the signatures it contains.",
    body: fileBody,
    success: {
      status: 200,
      description: "The public result.",
      schema: sealVerification.schemas.answer,
    },
    errors: fileErrors,
    call: (request, { sign }) => sign.verifySeal({ file: fileInQuestionOf(request) }, { timeoutMs: 30_000 }),
    respond: (found) => jsonReply(200, sealVerification.answer(found)),
  }),
  defineRoute({
    ...sealBase,
    operationId: "getSealCertificates",
    method: "GET",
    path: "/.well-known/seal-certificates.pem",
    summary: "Read the certificates that documents are sealed with",
    description:
      "The current certificate, followed by its chain up to the root, then those of earlier keys. Trust them in your PDF reader.",
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

export const signVerifyRoutes: readonly Route[] = [
  defineRoute({
    ...signBase,
    tag: signDocumentTag,
    operationId: "verifyDocument",
    method: "POST",
    path: "/v1/sign/verify",
    summary: "Check a document",
    description:
      "Returns the signatures in a PDF, and where your organization has exactly this file. Send the PDF alone, in JSON, or only its SHA-256.",
    access: read,
    body: fileBody,
    success: { status: 200, description: "The result.", schema: documentVerification.schemas.answer },
    errors: fileErrors,
    call: (request, { sign }) => sign.verifyDocument({ file: fileInQuestionOf(request) }, withDocuments(request)),
    respond: (found) => jsonReply(200, documentVerification.answer(found)),
  }),
];

/** The file that a request asks about: a body that is one, or what its JSON says. */
function fileInQuestionOf({
  body: { sha256 = null },
  files: [file],
}: Pick<RouteRequest<string, unknown, FileBody>, "body" | "files">): MessageInitShape<typeof FileInQuestionSchema> {
  if ((file === undefined) === (sha256 === null) || file?.content === "missing") throw notOne();
  if (file?.content === "invalid-base64") throw new DomainError("INVALID_BASE64");
  return file === undefined
    ? { file: { case: "sha256", value: new Uint8Array(Buffer.from(sha256 ?? "", "hex")) } }
    : { file: { case: "content", value: file.content } };
}

const notOne = (): DomainError => refusedField("", "ONE_REQUIRED", "must have either documentBase64 or sha256");
