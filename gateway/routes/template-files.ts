import { templateFile } from "#api/templates.ts";
import { DomainError } from "#platform/errors.ts";
import { maxPdfBytes } from "#platform/pdf-text.ts";
import { refusedField } from "#platform/problems.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { fileReply } from "../http/file-reply.ts";
import { jsonReply, type Reply } from "../http/reply.ts";
import { contentTimeoutMs, fileAnswer } from "./generation/file-answer.ts";
import { defineRoute, documentBody, onBehalfOf, type Route, type RouteRequest } from "./route.ts";
import { required } from "./schema-parts.ts";

const base = { tag: "Template versions", dialect: clickDialect } as const;
const ofTemplate = { templateId: "CLICK_TEMPLATE_NOT_FOUND" } as const;

const contentHashParam = {
  schema: {
    type: "string",
    description: "The contentHash of a version or revision that uses it, or the hash of the file.",
    maxLength: 71,
    pattern: "^sha256:[0-9a-f]{64}$",
    examples: [`sha256:${"0123456789abcdef".repeat(4)}`],
  },
  names: "templateFile",
  otherwise: "CLICK_FILE_NOT_FOUND",
} as const;

const fileBody = documentBody<{ readonly documentBase64: number }>({
  schema: {
    type: "object",
    required: ["documentBase64"],
    properties: {
      documentBase64: {
        type: "string",
        minLength: 1,
        description: "A PDF of at most 5 MiB and 200 pages, with text, in Base64. Or send the file as the body.",
      },
    },
  },
  raw: "pdf",
  example: { documentBase64: "JVBERi0xLjcK" },
});

export const templateFileRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "createTemplateFile",
    method: "POST",
    path: "/v1/click/templates/{templateId}/files",
    summary: "Upload a PDF as a text",
    description:
      "Checks the file like files of agreements, rewrites it, reads its text, and stores it. Then create or change a version, or save a draft, with the format pdf and the content of the response. Sending the same bytes again returns the same file. A file that no version uses is deleted once it is a day old and another one is uploaded.",
    access: { scopes: ["click:write"], limitGroup: "other" },
    notFound: ofTemplate,
    body: fileBody,
    success: { status: 201, description: "The file.", schema: templateFile.schemas.answer },
    errors: ["CLICK_TEMPLATE_ARCHIVED", "SERVICE_UNAVAILABLE"],
    call: ({ params, files: [file], ...request }, { templates }) =>
      templates.createTemplateFile(
        { templateId: params.templateId, content: bytesOf(file?.content) },
        { ...onBehalfOf(request), timeoutMs: contentTimeoutMs },
      ),
    respond: ({ file }) => jsonReply(201, templateFile.answer(required(file))),
  }),
  defineRoute({
    ...base,
    operationId: "getTemplateFileContent",
    method: "GET",
    path: "/v1/click/templates/{templateId}/files/{contentHash}/content",
    summary: "Download a PDF text",
    access: { scopes: ["click:read"], limitGroup: "other" },
    notFound: ofTemplate,
    texts: { contentHash: contentHashParam },
    ...fileAnswer({ description: "The PDF.", contentType: "application/pdf" }),
    errors: ["CLICK_FILE_NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
    call: ({ params, ...request }, { templates }) =>
      templates.getTemplateFile(params, { ...onBehalfOf(request), timeoutMs: contentTimeoutMs }),
    respond: ({ file, content }, request) => pdfReply({ hash: required(file).hash, content }, request),
  }),
];

function bytesOf(content: Uint8Array | "invalid-base64" | "missing" | undefined): Uint8Array {
  if (!(content instanceof Uint8Array)) {
    const message = content === "invalid-base64" ? "must be Base64 (RFC 4648 §4)" : "must be a PDF";
    throw refusedField("documentBase64", "INVALID_PDF", message, "CLICK_VALIDATION_FAILED");
  }
  if (content.length > maxPdfBytes) {
    throw new DomainError("CLICK_PAYLOAD_TOO_LARGE", { message: "The PDF is larger than 5 MiB." });
  }
  return content;
}

/** The file of a text; `hash` is `sha256:<hex>`. */
export const pdfReply = (
  { hash, content }: { readonly hash: string; readonly content: Uint8Array },
  request: Pick<RouteRequest, "method" | "headers">,
): Reply => {
  const file = {
    bytes: content,
    contentType: "application/pdf",
    fileName: "text.pdf",
    rangeCode: "RANGE_NOT_SATISFIABLE",
  };
  return fileReply({ ...file, sha256: hash.slice("sha256:".length), rangeCode: "RANGE_NOT_SATISFIABLE" }, request);
};
