import { isUtf8 } from "node:buffer";
import type { Request } from "express";
import { DomainError } from "#platform/errors.ts";
import type { DocumentBodies } from "../document-bodies/document-bodies.ts";
import { type DocumentFile, fileOf } from "../document-bodies/document-file.ts";
import type { ReadDocuments } from "../document-bodies/read-documents.ts";
import type { DocumentRules } from "../routes/route.ts";
import { isJsonType, readBytes, requirePlain } from "./body.ts";
import { type BodyRoom, hasBody } from "./body-budget.ts";
import type { ErrorDialect } from "./error-dialect.ts";
import { boundaryOf } from "./multipart.ts";
import { parseHeaderParams } from "./params.ts";

interface ReadingDeps {
  readonly room: BodyRoom | undefined;
  readonly documentBodies: Pick<DocumentBodies, "read">;
}

const tooLargeCode = "DOCUMENT_TOO_LARGE";

/** Reads a body with documents: JSON, several parts, or a document alone, which is then the only file. */
export async function readDocumentBody(
  req: Request,
  rules: DocumentRules & { readonly maxBytes: number },
  dialect: ErrorDialect,
  { room, documentBodies }: ReadingDeps,
): Promise<ReadDocuments> {
  if (!hasBody(req)) return { value: undefined, files: [] };
  requirePlain(req);
  const kind = kindOf(req.headers["content-type"], rules);
  const limit = { maxBytes: rules.maxBytes, tooLarge: () => new DomainError(tooLargeCode) };
  const bytes = await readBytes(req, limit, dialect, room);
  if (kind === "raw") return { value: undefined, files: [rawFile(req, bytes)] };
  return documentBodies.read({
    bytes: ownBytes(bytes),
    codes: { malformed: dialect.validationFailed, tooLarge: tooLargeCode },
    boundary: kind.boundary,
    lineBreaks: rules.lineBreaks,
  });
}

/** Throws UNSUPPORTED_MEDIA_TYPE. */
function kindOf(contentType: string | undefined, rules: DocumentRules): "raw" | { readonly boundary: string } {
  if (isJsonType(contentType)) return { boundary: "" };
  const type = mediaTypeOf(contentType);
  if (type === "multipart/form-data" && rules.multipart) {
    const boundary = boundaryOf(contentType ?? "");
    if (boundary === undefined) {
      throw new DomainError("UNSUPPORTED_MEDIA_TYPE", { message: "The content type has no valid boundary parameter." });
    }
    return { boundary };
  }
  const isPdf = type === "application/pdf" || type === "application/octet-stream";
  if (rules.raw === "any" || (rules.raw === "pdf" && isPdf)) return "raw";
  throw new DomainError("UNSUPPORTED_MEDIA_TYPE");
}

const mediaTypeOf = (contentType = ""): string => parseHeaderParams(contentType)?.value ?? "";

/** Memory that can be handed over: small buffers of Node share theirs. */
function ownBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}

const rawFile = ({ headers }: Request, bytes: Buffer): DocumentFile =>
  fileOf(ownBytes(bytes), {
    name: fileNameOf(headers["content-disposition"] ?? ""),
    contentType: mediaTypeOf(headers["content-type"]),
  });

/** As RFC 6266 has it, and as older programs send it: UTF-8 in a header that Node reads as Latin-1. */
function fileNameOf(disposition: string): string {
  const params = parseHeaderParams(disposition)?.params;
  const extended = params?.get("filename*") ?? "";
  if (extended.toLowerCase().startsWith("utf-8''")) {
    try {
      return decodeURIComponent(extended.slice("utf-8''".length));
    } catch {
      return "";
    }
  }
  const bytes = Buffer.from(params?.get("filename") ?? "", "latin1");
  return bytes.toString(isUtf8(bytes) ? "utf8" : "latin1");
}
