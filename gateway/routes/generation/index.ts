import { usage } from "#api/generation-templates.ts";
import { jsonReply } from "../../http/reply.ts";
import { defineRoute, onBehalfOf, type Route } from "../route.ts";
import { genAssetRoutes } from "./assets.ts";
import { batchRoutes } from "./batches.ts";
import { documentRoutes, documentTag } from "./documents.ts";
import { documentContentRoutes } from "./file-answer.ts";
import { genBase, read } from "./pages.ts";
import { genTemplateRoutes } from "./templates.ts";

const usageRoutes: readonly Route[] = [
  defineRoute({
    ...genBase,
    tag: documentTag,
    operationId: "getGenUsage",
    method: "GET",
    path: "/v1/gen/usage",
    summary: "Read the usage of the plan",
    description: "What the organization has used in the current hour and minute. Takes no slot.",
    access: read,
    success: { status: 200, description: "The plan and its windows.", schema: usage.schemas.answer },
    errors: [],
    call: (request, { docgen }) => docgen.getUsage({}, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, usage.answer(answer)),
  }),
];

/** Document generation. */
export const genRoutes: readonly Route[] = [
  ...genTemplateRoutes,
  ...genAssetRoutes,
  ...documentRoutes,
  ...documentContentRoutes,
  ...batchRoutes,
  ...usageRoutes,
];
