import { usage } from "#api/generation-templates.ts";
import { jsonReply } from "../../http/reply.ts";
import { defineRoute, onBehalfOf, type Route } from "../route.ts";
import { genBase, read } from "./base.ts";
import { documentTag } from "./documents.ts";

export const usageRoutes: readonly Route[] = [
  defineRoute({
    ...genBase,
    tag: documentTag,
    operationId: "getGenUsage",
    method: "GET",
    path: "/v1/gen/usage",
    summary: "Read the usage of the plan",
    description: "What the organization has used in the current hour and minute. Takes nothing.",
    access: read,
    success: { status: 200, description: "The plan and its windows.", schema: usage.schemas.answer },
    errors: [],
    call: (request, { docgen }) => docgen.getUsage({}, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, usage.answer(answer)),
  }),
];
