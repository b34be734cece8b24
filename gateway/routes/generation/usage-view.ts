import type { GetUsageResponse, UsageWindow } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { required } from "../required.ts";
import { answer, count, dateTime, described, example, oneOf } from "../schema-parts.ts";

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
