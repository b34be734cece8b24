import type { Asset } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { isoTime } from "../../../views/scalars.ts";
import { fileReply } from "../../http/file-reply.ts";
import { jsonReply, noContent } from "../../http/reply.ts";
import { nextPage, nextPageHeader } from "../pages.ts";
import { required } from "../required.ts";
import { defineRoute, jsonBody, onBehalfOf, queryOf, type Route } from "../route.ts";
import {
  answer,
  anyText,
  count,
  dateTime,
  described,
  example,
  listOf,
  object,
  oneOf,
  text,
  uuid,
} from "../schema-parts.ts";
import { genBase, read, write } from "./base.ts";
import { fileAnswer } from "./file-answer.ts";
import { gatherAfterIds, type PageQuery, pageParameters } from "./pages.ts";
import { sha256 } from "./schema-parts.ts";

const base = { ...genBase, tag: "Assets" } as const;

interface CreateAssetBody {
  readonly name: string;
  readonly content: string;
}

const maxAssetBytes = 5_242_880;
/** Base64 takes four characters for three bytes. */
const assetBodyBytes = 7_340_032;
/** Storing and reading megabytes takes longer than the default of an RPC allows. */
const transferTimeoutMs = 20_000;

/** The smallest PNG there is. */
const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const createAssetSchema = object(
  {
    name: example(text(1, 255), "logo.png"),
    content: example(
      { type: "string", minLength: 1, description: "A PNG or JPEG of at most 5 MB, in Base64." },
      onePixel,
    ),
  },
  ["name", "content"],
);

const assetSchema = answer({
  id: described(uuid, "Templates show the image as `asset:<id>`."),
  name: example(anyText, "logo.png"),
  contentType: oneOf("image/png", "image/jpeg"),
  width: described(count, "Pixels."),
  height: described(count, "Pixels."),
  bytes: count,
  sha256,
  contentUrl: example(anyText, "/v1/gen/assets/01961234-5678-7abc-8def-0123456789ab/content"),
  createdAt: dateTime,
});

export const genAssetRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "listGenAssets",
    method: "GET",
    path: "/v1/gen/assets",
    summary: "List images",
    description: "Newest first. Without limit all are returned, up to 1,000.",
    access: read,
    query: queryOf<PageQuery>(pageParameters),
    success: { status: 200, description: "The images.", schema: listOf(assetSchema), headers: nextPageHeader },
    errors: [],
    call: (request, { docgen }) =>
      gatherAfterIds(request.query, async (page) => {
        const { assets, hasMore } = await docgen.listAssets(page, onBehalfOf(request));
        return { items: assets, hasMore };
      }),
    respond: ({ items, nextCursor }) => jsonReply(200, items.map(assetView), nextPage(nextCursor)),
  }),
  defineRoute({
    ...base,
    operationId: "createGenAsset",
    method: "POST",
    path: "/v1/gen/assets",
    summary: "Store an image",
    description: "For templates to show. The same bytes again answer the same image.",
    access: write,
    body: jsonBody<CreateAssetBody>({
      schema: createAssetSchema,
      maxBytes: assetBodyBytes,
      example: { name: "logo.png", content: onePixel },
    }),
    success: { status: 201, description: "The stored image.", schema: assetSchema },
    errors: [],
    call: (request, { docgen }) =>
      docgen.createAsset(
        { name: request.body.name, content: decode(request.body.content) },
        { ...onBehalfOf(request), timeoutMs: transferTimeoutMs },
      ),
    respond: ({ asset }) => jsonReply(201, assetView(required(asset))),
  }),
  defineRoute({
    ...base,
    operationId: "getGenAsset",
    method: "GET",
    path: "/v1/gen/assets/{id}",
    summary: "Read the facts of an image",
    access: read,
    notFound: { id: "GEN_ASSET_NOT_FOUND" },
    success: { status: 200, description: "The image, without its bytes.", schema: assetSchema },
    errors: [],
    call: (request, { docgen }) =>
      docgen.getAsset({ assetId: request.params.id }, { ...onBehalfOf(request), timeoutMs: transferTimeoutMs }),
    respond: ({ asset }) => jsonReply(200, assetView(required(asset))),
  }),
  defineRoute({
    ...base,
    operationId: "getGenAssetContent",
    method: "GET",
    path: "/v1/gen/assets/{id}/content",
    summary: "Download an image",
    access: read,
    notFound: { id: "GEN_ASSET_NOT_FOUND" },
    ...fileAnswer({ description: "The bytes.", contentType: "image/png", alsoTypes: ["image/jpeg"] }),
    errors: ["GEN_RANGE_NOT_SATISFIABLE"],
    call: (request, { docgen }) =>
      docgen.getAsset({ assetId: request.params.id }, { ...onBehalfOf(request), timeoutMs: transferTimeoutMs }),
    respond: ({ asset, content }, request) => {
      const { name, contentType, sha256 } = required(asset);
      return fileReply({ bytes: content, contentType, fileName: name, sha256 }, request);
    },
  }),
  defineRoute({
    ...base,
    operationId: "deleteGenAsset",
    method: "DELETE",
    path: "/v1/gen/assets/{id}",
    summary: "Delete an image",
    description: "Documents of templates that show it fail from now on; those that are made already stay.",
    access: write,
    notFound: { id: "GEN_ASSET_NOT_FOUND" },
    success: { status: 204, description: "The image is gone." },
    errors: [],
    call: (request, { docgen }) => docgen.deleteAsset({ assetId: request.params.id }, onBehalfOf(request)),
    respond: () => noContent,
  }),
];

const assetView = (asset: Asset) => ({
  id: asset.id,
  name: asset.name,
  contentType: asset.contentType,
  width: asset.width,
  height: asset.height,
  bytes: Number(asset.bytes),
  sha256: asset.sha256,
  contentUrl: `/v1/gen/assets/${asset.id}/content`,
  createdAt: isoTime(asset.createdAt),
});

/** Buffer.from skips what is not Base64, so it has to come out the same again. */
function decode(content: string): Buffer {
  const bytes = Buffer.from(content, "base64");
  if (bytes.toString("base64") !== content) {
    const problem = {
      field: "content",
      code: "INVALID_BASE64",
      message: "must be Base64 (RFC 4648 §4), without line breaks",
    };
    throw new DomainError("GEN_INVALID_REQUEST", { details: [problem] });
  }
  if (bytes.length > maxAssetBytes) {
    throw new DomainError("GEN_PAYLOAD_TOO_LARGE", { message: "The image is larger than 5 MB." });
  }
  return bytes;
}
