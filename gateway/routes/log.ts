import type { JsonSchema } from "#api/kinds.ts";
import {
  anchorCheckpointExample,
  checkpointExample,
  consistencyExample,
  consistencyProof,
  inclusionExample,
  inclusionProof,
} from "#api/log.ts";
import type { GetInclusionProofRequest, GetInclusionProofResponse } from "#gen/assent/click/v1/click_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { refusedField } from "#platform/problems.ts";
import { proofText } from "#platform/transparency/merkle.ts";
import { prefers } from "../http/accept.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply, type Reply } from "../http/reply.ts";
import { defineRoute, onBehalfOf, queryOf, type Route, type RouteRequest, type TextParam } from "./route.ts";
import { described, integer, uuid } from "./schema-parts.ts";

const base = {
  method: "GET",
  tag: "Evidence",
  dialect: clickDialect,
  access: { scopes: ["click:read"], limitGroup: "other" },
} as const;

const plainText = "text/plain; charset=utf-8";
const octets = "application/octet-stream";

/** What JavaScript counts exactly, and query parameters are read up to. */
const treeSize: JsonSchema = integer(0, 999_999_999_999_999);

const tileParam = (names: string, description: string, pattern: string, example: string): TextParam => ({
  names,
  schema: { type: "string", description, maxLength: 15, pattern, examples: [example] },
  otherwise: "CLICK_TILE_NOT_FOUND",
});

const tileParams = {
  level: tileParam("tileLevel", "0 for the hashes of leaves; each level up has one per 256.", "^[0-6]$", "0"),
  index: tileParam(
    "tileIndex",
    "Which tile of its level, from 0; 7 may be written 007.",
    "^([0-9]{3}|0|[1-9][0-9]{0,14})$",
    "0",
  ),
};

const tileWidthParam: TextParam = tileParam(
  "tileWidth",
  "How many hashes, 1 to 255.",
  "^([1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])$",
  "3",
);

const proofTextExample = proofText({
  index: 1,
  path: inclusionExample.auditPath.map((hash) => Buffer.from(hash, "base64")),
  checkpoint: checkpointExample,
});

interface InclusionQuery {
  readonly receiptId?: string;
  readonly index?: number;
  readonly size?: number;
}

interface ConsistencyQuery {
  readonly from: number;
  readonly to: number;
}

export const logRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "getLogCheckpoint",
    path: "/v1/click/log/checkpoint",
    summary: "Read the newest checkpoint of the log",
    description: "A signed note (C2SP tlog-checkpoint) with the number of leaves and the root of the tree.",
    success: {
      status: 200,
      description: "The signed note.",
      contentType: "text/plain",
      textExamples: { "text/plain": checkpointExample },
    },
    errors: ["CLICK_CHECKPOINT_NOT_FOUND"],
    call: (request, { click }) => click.getCheckpoint({}, onBehalfOf(request)),
    respond: ({ note }) => textReply(note),
  }),
  defineRoute({
    ...base,
    operationId: "getAnchorCheckpoint",
    path: "/v1/click/log/anchor/checkpoint",
    summary: "Read the newest checkpoint of the anchor log",
    description:
      "The anchor log contains the checkpoints of all logs. Keep what you read: it fixes what was logged until then.",
    success: {
      status: 200,
      description: "The signed note.",
      contentType: "text/plain",
      textExamples: { "text/plain": anchorCheckpointExample },
    },
    errors: ["CLICK_CHECKPOINT_NOT_FOUND"],
    call: (request, { click }) => click.getCheckpoint({ anchor: true }, onBehalfOf(request)),
    respond: ({ note }) => textReply(note),
  }),
  defineRoute({
    ...base,
    operationId: "getInclusionProof",
    path: "/v1/click/log/proofs/inclusion",
    summary: "Prove that a record is in the log",
    description:
      "Identify the record by its receiptId or its index. As text/plain you get a C2SP tlog-proof, which needs a checkpoint of that size.",
    query: queryOf<InclusionQuery>({
      receiptId: described(uuid, "The receipt, or another record that has a leaf."),
      index: described(treeSize, "The leaf with this index."),
      size: described(treeSize, "The size of the tree; the newest published one when absent."),
    }),
    success: {
      status: 200,
      description: "The proof.",
      schema: inclusionProof.schemas.answer,
      example: inclusionExample,
      alsoTypes: ["text/plain"],
      textExamples: { "text/plain": proofTextExample },
    },
    errors: [
      "CLICK_RECEIPT_NOT_FOUND",
      "CLICK_LEAF_NOT_FOUND",
      "CLICK_LEAF_NOT_INTEGRATED",
      "CLICK_CHECKPOINT_NOT_FOUND",
    ],
    call: (request, { click }) => {
      const { size } = request.query;
      const wanted = { leaf: leafOf(request.query), size: size === undefined ? undefined : BigInt(size) };
      return click.getInclusionProof(wanted, onBehalfOf(request));
    },
    respond: (proof, request) => inclusionReply(proof, request),
  }),
  defineRoute({
    ...base,
    operationId: "getConsistencyProof",
    path: "/v1/click/log/proofs/consistency",
    summary: "Prove that the log has only grown",
    description: "Proves that the log at one size is the beginning of the log at a larger size.",
    query: queryOf<ConsistencyQuery>(
      {
        from: { ...described(treeSize, "The earlier size."), examples: [2] },
        to: { ...described(treeSize, "The later size."), examples: [3] },
      },
      ["from", "to"],
    ),
    success: {
      status: 200,
      description: "The proof.",
      schema: consistencyProof.schemas.answer,
      example: consistencyExample,
    },
    errors: [],
    call: (request, { click }) => {
      const { from, to } = request.query;
      return click.getConsistencyProof({ from: BigInt(from), to: BigInt(to) }, onBehalfOf(request));
    },
    respond: (proof) => jsonReply(200, consistencyProof.answer(proof)),
  }),
  defineRoute({
    ...base,
    operationId: "getLogTile",
    path: "/v1/click/log/tile/{level}/{index}",
    summary: "Read a full tile of the log's tree",
    description: "256 hashes of 32 bytes (C2SP tlog-tiles), which never change.",
    texts: tileParams,
    caching: "immutable",
    success: { status: 200, description: "The hashes.", contentType: octets },
    errors: [],
    call: (request, { click }) => click.getLogTile(tileOf(request.params), onBehalfOf(request)),
    respond: ({ hashes }) => ({ status: 200, body: hashes, contentType: octets }),
  }),
  defineRoute({
    ...base,
    operationId: "getPartialLogTile",
    path: "/v1/click/log/tile/{level}/{index}.p/{width}",
    summary: "Read the beginning of a tile",
    description: "For tiles at the right edge of the tree that aren't full yet.",
    texts: { ...tileParams, width: tileWidthParam },
    success: { status: 200, description: "The hashes.", contentType: octets },
    errors: [],
    call: (request, { click }) => {
      const width = Number(request.params.width);
      return click.getLogTile({ ...tileOf(request.params), width }, onBehalfOf(request));
    },
    respond: ({ hashes }) => ({ status: 200, body: hashes, contentType: octets }),
  }),
];

const textReply = (body: string): Reply => ({ status: 200, body, contentType: plainText });

const tileOf = ({ level, index }: { readonly level: string; readonly index: string }) => ({
  level: Number(level),
  tile: BigInt(index),
});

function leafOf({ receiptId, index }: InclusionQuery): GetInclusionProofRequest["leaf"] {
  if (receiptId !== undefined && index !== undefined) {
    throw refusedField("index", "CONFLICT", "must not be sent together with receiptId", "CLICK_VALIDATION_FAILED");
  }
  if (receiptId !== undefined) return { case: "receiptId", value: receiptId.toLowerCase() };
  if (index !== undefined) return { case: "index", value: BigInt(index) };
  throw refusedField("receiptId", "REQUIRED", "receiptId or index is required", "CLICK_VALIDATION_FAILED");
}

function inclusionReply(proof: GetInclusionProofResponse, { headers }: Pick<RouteRequest, "headers">): Reply {
  const varying = { Vary: "Accept" };
  const { leafIndex, treeSize, auditPath, checkpoint } = proof;
  if (!prefers(headers.accept, "text/plain", "application/json")) {
    return jsonReply(200, inclusionProof.answer(proof), varying);
  }
  if (checkpoint === "") {
    const message = `No checkpoint was published at the size ${treeSize}. Leave out size, or ask for JSON.`;
    throw new DomainError("CLICK_CHECKPOINT_NOT_FOUND", { message });
  }
  const path = auditPath.map((hash) => Buffer.from(hash));
  return { ...textReply(proofText({ index: Number(leafIndex), path, checkpoint })), headers: varying };
}
