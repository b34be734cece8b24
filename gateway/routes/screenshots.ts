import { onePixel } from "#api/kinds.ts";
import { newScreenshot, screenshot } from "#api/templates.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { fileReply } from "../http/file-reply.ts";
import { jsonReply, noContent } from "../http/reply.ts";
import { decodePicture, pictureBodyBytes } from "./generation/assets.ts";
import { fileAnswer } from "./generation/file-answer.ts";
import { createBody, defineRoute, onBehalfOf, type ProtectedAccess, type Route } from "./route.ts";
import { listOf, required } from "./schema-parts.ts";

const read: ProtectedAccess = { scopes: ["click:read"], limitGroup: "other" };
const write: ProtectedAccess = { scopes: ["click:write"], limitGroup: "other" };
const base = { tag: "Deployments", dialect: clickDialect } as const;

/** Checking and storing megabytes takes longer than the default of an RPC allows. */
const transferTimeoutMs = 20_000;

const ofDeployment = { id: "CLICK_DEPLOYMENT_NOT_FOUND" } as const;
const ofScreenshot = {
  notFound: ofDeployment,
  texts: {
    screenshotId: {
      schema: {
        type: "string",
        description: "The id of a screenshot of the deployment.",
        maxLength: 27,
        pattern: "^shot_[0-9A-Za-z]{22}$",
        examples: ["shot_0123456789abcdefABCDEF"],
      },
      names: "screenshot",
      otherwise: "CLICK_SCREENSHOT_NOT_FOUND",
    },
  },
} as const;

export const screenshotRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "createScreenshot",
    method: "POST",
    path: "/v1/click/deployments/{id}/screenshots",
    summary: "Upload a screenshot of a deployment",
    description:
      "A screenshot of the page that shows the text. Once the deployment's screenshotId names it, it is evidence for everything shown there. Sending the same bytes again returns the same screenshot; a deployment can have 20. Take it without personal data, because evidence is never deleted.",
    access: write,
    notFound: ofDeployment,
    body: createBody(newScreenshot, { maxBytes: pictureBodyBytes, example: { content: onePixel } }),
    success: { status: 201, description: "The screenshot.", schema: screenshot.schemas.answer },
    errors: ["CLICK_TEMPLATE_ARCHIVED"],
    call: (request, { templates }) =>
      templates.createScreenshot(
        { deploymentId: request.params.id, content: decodePicture(request.body.content, clickDialect) },
        { ...onBehalfOf(request), timeoutMs: transferTimeoutMs },
      ),
    respond: (answer) => jsonReply(201, screenshot.answer(required(answer.screenshot))),
  }),
  defineRoute({
    ...base,
    operationId: "listScreenshots",
    method: "GET",
    path: "/v1/click/deployments/{id}/screenshots",
    summary: "List the screenshots of a deployment",
    description: "Newest first, without their bytes.",
    access: read,
    notFound: ofDeployment,
    success: { status: 200, description: "The screenshots.", schema: listOf(screenshot.schemas.answer) },
    errors: [],
    call: (request, { templates }) =>
      templates.listScreenshots({ deploymentId: request.params.id }, onBehalfOf(request)),
    respond: ({ screenshots }) =>
      jsonReply(
        200,
        screenshots.map((one) => screenshot.answer(one)),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "getScreenshotContent",
    method: "GET",
    path: "/v1/click/deployments/{id}/screenshots/{screenshotId}/content",
    summary: "Download a screenshot",
    access: read,
    ...ofScreenshot,
    ...fileAnswer({ description: "The bytes.", contentType: "image/png", alsoTypes: ["image/jpeg"] }),
    errors: ["CLICK_SCREENSHOT_NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
    call: ({ params, ...request }, { templates }) =>
      templates.getScreenshot(
        { deploymentId: params.id, screenshotId: params.screenshotId },
        { ...onBehalfOf(request), timeoutMs: transferTimeoutMs },
      ),
    respond: ({ screenshot: found, content }, request) => {
      const { id, contentType, hash } = required(found);
      const fileName = `${id}.${contentType === "image/png" ? "png" : "jpg"}`;
      const sha256 = hash.slice("sha256:".length);
      return fileReply({ bytes: content, contentType, fileName, sha256, rangeCode: "RANGE_NOT_SATISFIABLE" }, request);
    },
  }),
  defineRoute({
    ...base,
    operationId: "deleteScreenshot",
    method: "DELETE",
    path: "/v1/click/deployments/{id}/screenshots/{screenshotId}",
    summary: "Delete a screenshot",
    description: "If the deployment uses it, replace it there first. Evidence that has it keeps it.",
    access: write,
    ...ofScreenshot,
    success: { status: 204, description: "The screenshot was deleted." },
    errors: ["CLICK_SCREENSHOT_NOT_FOUND", "CLICK_SCREENSHOT_IN_USE"],
    call: ({ params, ...request }, { templates }) =>
      templates.deleteScreenshot({ deploymentId: params.id, screenshotId: params.screenshotId }, onBehalfOf(request)),
    respond: () => noContent,
  }),
];
