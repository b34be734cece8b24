import type { Upload } from "#gen/assent/sign/v1/uploads_pb.ts";
import { maxDocumentBytes } from "#platform/document-bounds.ts";
import { refusedField } from "#platform/problems.ts";
import { compatTime, flagText, numberText } from "../../../views/compat/scalars.ts";
import { decodeBase64 } from "../../document-bodies/read-documents.ts";
import { jsonReply } from "../../http/reply.ts";
import { jsonBody, onBehalfOf, type Route } from "../../routes/route.ts";
import { required } from "../../routes/schema-parts.ts";
import { compatQuery, defineCompatRoute } from "../route.ts";
import { looseBody, textsAnswer } from "../schema-parts.ts";

const base = { tag: "Compatible documents" } as const;
const one = { ...base, notFound: { chunkedUploadId: "UPLOAD_NOT_FOUND" } } as const;

const sampleId = "01961234-5678-7abc-8def-0123456789ab";
/** The contract takes no part beyond them. */
const bounds = { maxChunkedUploadParts: "100", maxTotalSize: numberText(maxDocumentBytes) };

const answer = textsAnswer(
  {
    chunkedUploadId: sampleId,
    chunkedUploadUri: `/chunked_uploads/${sampleId}`,
    committed: "false",
    expirationDateTime: "2026-11-21T17:00:00.000Z",
    ...bounds,
    totalSize: "1048576",
    checksum: "0123456789abcdef".repeat(4),
  },
  {
    chunkedUploadParts: {
      type: "array",
      description: "In their order.",
      items: textsAnswer({ sequence: "0", size: "1048576" }, {}, ["sequence", "size"]),
    },
  },
  ["chunkedUploadId", "chunkedUploadUri", "committed", "chunkedUploadParts"],
);

/** 5 MB in Base64, with line breaks. */
const partBody = jsonBody<Part>({
  schema: {
    ...looseBody({ chunkedUploadId: "Ignored: the path says it." }),
    required: ["data"],
    properties: {
      data: { type: "string", minLength: 1, maxLength: 7_200_000, description: "The part in Base64, 5 MB at most." },
    },
  },
  maxBytes: 7_300_000,
  example: { data: "JVBERi0xLjcK" },
});

interface Part {
  readonly data: string;
}

const contentOf = ({ data }: Part): Uint8Array<ArrayBuffer> => {
  const content = decodeBase64(data, true);
  if (content === undefined || content.length === 0) {
    throw refusedField("data", "INVALID_BASE64", "must be Base64 (RFC 4648 §4) of at least one byte");
  }
  return content;
};

/** Hex, as it is answered; others name no file. */
function checksumOf(checksum: unknown): Uint8Array<ArrayBuffer> {
  if (checksum === undefined || checksum === null || checksum === "") return new Uint8Array();
  if (typeof checksum === "string" && /^[0-9a-f]{64}$/i.test(checksum))
    return Uint8Array.from(Buffer.from(checksum, "hex"));
  throw refusedField("checksum", "FORMAT", "must be the SHA-256 of the whole file, in hex");
}

const respond =
  (status: number) =>
  ({ upload }: { readonly upload?: Upload | undefined }) => {
    const { id, parts, bytes, committed, expiresAt, sha256 } = required(upload);
    return jsonReply(status, {
      ...(committed ? { checksum: Buffer.from(sha256).toString("hex") } : {}),
      chunkedUploadId: id,
      chunkedUploadParts: parts.map((part) => ({ sequence: numberText(part.sequence), size: numberText(part.bytes) })),
      chunkedUploadUri: `/chunked_uploads/${id}`,
      committed: flagText(committed),
      expirationDateTime: compatTime(expiresAt),
      ...bounds,
      totalSize: numberText(bytes),
    });
  };

const path = "/chunked_uploads/{chunkedUploadId}";

/** Large files come in parts, and documents name them once they are whole. */
export const chunkedUploadRoutes: readonly Route[] = [
  defineCompatRoute({
    ...base,
    scopes: ["sign:write"],
    operationId: "compatCreateChunkedUpload",
    method: "POST",
    path: "/chunked_uploads",
    summary: "Begin an upload in parts",
    description:
      "With its first part, which gets the sequence 0. Once all parts are there and it is committed, a document names it as its remoteUrl: chunkedUploadUri. It is deleted after a day. An account has 100 uploads and 100 MB in them at most.",
    body: partBody,
    success: { status: 201, description: "The upload.", schema: answer },
    errors: ["UPLOAD_LIMIT_REACHED"],
    call: (request, { sign }) => sign.createUpload({ content: contentOf(request.body) }, onBehalfOf(request)),
    respond: respond(201),
  }),
  defineCompatRoute({
    ...one,
    scopes: ["sign:read"],
    operationId: "compatGetChunkedUpload",
    method: "GET",
    path,
    summary: "Read which parts of an upload are there",
    success: { status: 200, description: "The upload, without its bytes.", schema: answer },
    errors: [],
    call: (request, { sign }) => sign.getUpload({ uploadId: request.params.chunkedUploadId }, onBehalfOf(request)),
    respond: respond(200),
  }),
  defineCompatRoute({
    ...one,
    scopes: ["sign:write"],
    operationId: "compatPutChunkedUploadPart",
    method: "PUT",
    path: `${path}/{chunkedUploadPartSeq}`,
    texts: {
      chunkedUploadPartSeq: {
        schema: { type: "string", pattern: "^[0-9]{1,2}$", description: "From 0, without gaps.", examples: ["1"] },
        names: "chunkedUploadPartSeq",
        otherwise: "UPLOAD_NOT_FOUND",
      },
    },
    summary: "Add a part to an upload",
    description:
      "In any order, of several at once; sent again with the same bytes it changes nothing, so an upload that was interrupted goes on with what is missing.",
    body: partBody,
    success: { status: 200, description: "The upload.", schema: answer },
    errors: ["UPLOAD_LIMIT_REACHED", "DOCUMENT_TOO_LARGE"],
    call: (request, { sign }) => {
      const { chunkedUploadId, chunkedUploadPartSeq } = request.params as Readonly<Record<string, string>>;
      const content = contentOf(request.body);
      const part = { uploadId: chunkedUploadId ?? "", sequence: Number(chunkedUploadPartSeq), content };
      return sign.putUploadPart(part, onBehalfOf(request));
    },
    respond: respond(200),
  }),
  defineCompatRoute({
    ...one,
    scopes: ["sign:write"],
    operationId: "compatCommitChunkedUpload",
    method: "PUT",
    path,
    summary: "Commit an upload",
    description: "Compares the checksum when there is one. After that it takes no more parts.",
    query: compatQuery({ action: "commit, or nothing." }),
    body: jsonBody<{ readonly checksum?: unknown }>({
      schema: looseBody({ checksum: "The SHA-256 of the whole file, in hex." }),
      required: false,
      example: {},
    }),
    success: { status: 200, description: "The upload, with the checksum of the whole.", schema: answer },
    errors: [],
    call: (request, { sign }) => {
      const action = request.query.action?.trim() ?? "";
      if (!["", "commit"].includes(action.toLowerCase())) throw refusedField("action", "NOT_ALLOWED", "must be commit");
      const sha256 = checksumOf(request.body?.checksum);
      return sign.commitUpload({ uploadId: request.params.chunkedUploadId, sha256 }, onBehalfOf(request));
    },
    respond: respond(200),
  }),
  defineCompatRoute({
    ...one,
    scopes: ["sign:write"],
    operationId: "compatDeleteChunkedUpload",
    method: "DELETE",
    path,
    summary: "Delete an upload",
    success: { status: 200, description: "The upload, as it was.", schema: answer },
    errors: [],
    call: (request, { sign }) => sign.deleteUpload({ uploadId: request.params.chunkedUploadId }, onBehalfOf(request)),
    respond: respond(200),
  }),
];
