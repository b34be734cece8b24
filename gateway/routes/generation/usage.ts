import type { GetUsageResponse, UsageWindow } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { jsonReply } from "../../http/reply.ts";
import { required } from "../required.ts";
import { defineRoute, onBehalfOf, type Route } from "../route.ts";
import { answer, count, dateTime, described, example, oneOf } from "../schema-parts.ts";
import { genBase, read } from "./base.ts";
import { documentTag } from "./documents.ts";

const windowSchema = (limit: number, used: number) =>
  answer({
    limit: example(described(count, "Documents that are allowed in the window."), limit),
    used: example(described(count, "Those that have been taken."), used),
    resetAt: described(dateTime, "When the next window begins."),
  });

/** The plan of document generation and what is used of it. */
export const usageSchema = answer({
  plan: oneOf("gen_starter", "gen_pro", "gen_hoa", "business", "gen_payg"),
  hour: windowSchema(600, 17),
  minute: windowSchema(10, 2),
});

export const usageView = ({ plan, hour, minute }: GetUsageResponse) => ({
  plan,
  hour: windowView(required(hour)),
  minute: windowView(required(minute)),
});

const windowView = ({ limit, used, resetAt }: UsageWindow) => ({
  limit,
  used,
  resetAt: new Date(Number(resetAt) * 1_000).toISOString(),
});

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
    success: { status: 200, description: "The plan and its windows.", schema: usageSchema },
    errors: [],
    call: (request, { docgen }) => docgen.getUsage({}, onBehalfOf(request)),
    respond: (usage) => jsonReply(200, usageView(usage)),
  }),
];
