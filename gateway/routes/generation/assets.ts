import { asset, newAsset } from "#api/generation-templates.ts";
import { onePixel } from "#api/kinds.ts";
import { DomainError } from "#platform/errors.ts";
import { wordType } from "#platform/office-package.ts";
import { type ErrorDialect, genDialect } from "../../http/error-dialect.ts";
import { fileReply } from "../../http/file-reply.ts";
import { jsonReply, noContent } from "../../http/reply.ts";
import { nextPageHeader, pageReply } from "../pages.ts";
import { createBody, defineRoute, onBehalfOf, type Route } from "../route.ts";
import { listOf, required } from "../schema-parts.ts";
import { fileAnswer } from "./file-answer.ts";
import { gatherAfterIds, genBase, pageQuery, read, write } from "./pages.ts";

const base = { ...genBase, tag: "Assets" } as const;

const maxPictureBytes = 5_242_880;
/** Of a body with one picture: Base64 takes four characters for three bytes. */
export const pictureBodyBytes = 7_340_032;
/** Storing and reading megabytes takes longer than the default of an RPC allows. */
const transferTimeoutMs = 20_000;

export const genAssetRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "listGenAssets",
    method: "GET",
    path: "/v1/gen/assets",
    summary: "List images and Word files",
    description: "Newest first. Without limit, up to 1,000.",
    access: read,
    query: pageQuery,
    success: {
      status: 200,
      description: "The images and Word files.",
      schema: listOf(asset.schemas.answer),
      headers: nextPageHeader,
    },
    errors: [],
    call: (request, { docgen }) =>
      gatherAfterIds(request.query, async (page) => {
        const { assets, hasMore } = await docgen.listAssets(page, onBehalfOf(request));
        return { items: assets, hasMore };
      }),
    respond: (page) => pageReply(asset, page),
  }),
  defineRoute({
    ...base,
    operationId: "createGenAsset",
    method: "POST",
    path: "/v1/gen/assets",
    summary: "Store an image or a Word file",
    description:
      "An image to show in templates, or the Word file of a template. Sending the same bytes again returns the same asset.",
    access: write,
    body: createBody(newAsset, {
      maxBytes: pictureBodyBytes,
      example: { name: "logo.png", content: onePixel },
    }),
    success: { status: 201, description: "The stored asset.", schema: asset.schemas.answer },
    errors: [],
    call: (request, { docgen }) =>
      docgen.createAsset(
        { ...newAsset.create(request.body), content: decodePicture(request.body.content, genDialect) },
        { ...onBehalfOf(request), timeoutMs: transferTimeoutMs },
      ),
    respond: (answer) => jsonReply(201, asset.answer(required(answer.asset))),
  }),
  defineRoute({
    ...base,
    operationId: "getGenAsset",
    method: "GET",
    path: "/v1/gen/assets/{id}",
    summary: "Read the metadata of an image or a Word file",
    access: read,
    notFound: { id: "GEN_ASSET_NOT_FOUND" },
    success: { status: 200, description: "The asset, without its bytes.", schema: asset.schemas.answer },
    errors: [],
    call: (request, { docgen }) =>
      docgen.getAsset({ assetId: request.params.id }, { ...onBehalfOf(request), timeoutMs: transferTimeoutMs }),
    respond: (answer) => jsonReply(200, asset.answer(required(answer.asset))),
  }),
  defineRoute({
    ...base,
    operationId: "getGenAssetContent",
    method: "GET",
    path: "/v1/gen/assets/{id}/content",
    summary: "Download an image or a Word file",
    access: read,
    notFound: { id: "GEN_ASSET_NOT_FOUND" },
    ...fileAnswer({ description: "The bytes.", contentType: "image/png", alsoTypes: ["image/jpeg", wordType] }),
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
    summary: "Delete an image or a Word file",
    description: "New documents of templates that use it fail; existing documents stay.",
    access: write,
    notFound: { id: "GEN_ASSET_NOT_FOUND" },
    success: { status: 204, description: "The asset was deleted." },
    errors: [],
    call: (request, { docgen }) => docgen.deleteAsset({ assetId: request.params.id }, onBehalfOf(request)),
    respond: () => noContent,
  }),
];

/** Reads a picture that stands in a body. Buffer.from skips what is not Base64, so it has to come out the same again. */
export function decodePicture(
  content: string,
  { validationFailed, payloadTooLarge }: Pick<ErrorDialect, "validationFailed" | "payloadTooLarge">,
): Buffer {
  const bytes = Buffer.from(content, "base64");
  if (bytes.toString("base64") !== content) {
    const problem = {
      field: "content",
      code: "INVALID_BASE64",
      message: "must be Base64 (RFC 4648 §4), without line breaks",
    };
    throw new DomainError(validationFailed, { details: [problem] });
  }
  if (bytes.length > maxPictureBytes) {
    throw new DomainError(payloadTooLarge, { message: "The file is larger than 5 MB." });
  }
  return bytes;
}
