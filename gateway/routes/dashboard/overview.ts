import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { CallOptions } from "@connectrpc/connect";
import { usage } from "#api/generation-templates.ts";
import type { JsonSchema } from "#api/kinds.ts";
import { isOutage } from "#platform/outage.ts";
import { acceptancesView, agreementsView, webhooksView } from "../../../views/dashboard/overview.ts";
import { statuses } from "../../../views/sign/names.ts";
import { dayIn, hoursBetween } from "../../dashboard/local-day.ts";
import { jsonReply } from "../../http/reply.ts";
import { defineRoute, onBehalfOf, queryOf, type Route } from "../route.ts";
import { answer, count, dateTime, day, described, example, listOf, orNull, text } from "../schema-parts.ts";
import type { Services } from "../services.ts";
import { dashboardBase, everybody } from "./base.ts";

const timeZone = example(described(text(1, 64), "A name of the IANA time zone database."), "Europe/Berlin");
const counts = { acceptances: count, declines: count };

/** Of agreements; templates have none that counts. */
const counted = statuses.names.filter((name) => name !== "template");

const overviewSchema: JsonSchema = answer({
  date: described(day, "The day that it is in the time zone."),
  timeZone,
  from: described(dateTime, "When the day began."),
  acceptances: orNull(
    answer({
      ...counts,
      hours: described(
        listOf(answer({ hour: dateTime, ...counts })),
        "Every hour of UTC that has begun today, oldest first.",
      ),
    }),
  ),
  agreements: orNull(
    answer({
      byStatus: described(answer(Object.fromEntries(counted.map((name) => [name, count]))), "As they are now."),
      sentToday: count,
      completedToday: count,
      declinedToday: count,
    }),
  ),
  generation: orNull(usage.schemas.answer),
  webhooks: orNull(
    answer({
      endpoints: count,
      failing: described(count, "Enabled ones whose attempts have all failed for a while."),
      disabled: described(count, "Those that were disabled because they failed or were gone."),
      undeliveredToday: described(count, "Deliveries of today that have failed so far or were given up."),
    }),
  ),
});

/** Whoever looks at the start page is not kept waiting for a service that is away. */
const patienceMs = 3_000;

export const overviewRoutes: readonly Route[] = [
  defineRoute({
    ...dashboardBase,
    operationId: "getOverview",
    method: "GET",
    path: "/v1/dashboard/overview",
    summary: "Read what happens today",
    description:
      "Today is that of the time zone. A part whose service cannot be reached is null; the others are answered.",
    access: everybody,
    query: queryOf<{ timeZone?: string }>({
      timeZone: { ...timeZone, description: "A name of the IANA time zone database; UTC when absent." },
    }),
    success: { status: 200, description: "The overview.", schema: overviewSchema },
    errors: [],
    call: async (request, services) => {
      const { timeZone: zone = "UTC" } = request.query;
      const now = services.clock.now();
      const { date, from } = dayIn(zone, now);
      const options = { ...onBehalfOf(request), timeoutMs: patienceMs };
      const parts = await readParts(services, timestampFromDate(from), options);
      return { ...parts, date, zone, from, hours: hoursBetween(from, now) };
    },
    respond: ({ date, zone, from, hours, ...parts }) =>
      jsonReply(200, {
        date,
        timeZone: zone,
        from: from.toISOString(),
        acceptances: parts.acceptances && acceptancesView(parts.acceptances, hours),
        agreements: parts.agreements && agreementsView(parts.agreements),
        generation: parts.generation && usage.answer(parts.generation),
        webhooks: parts.webhooks && webhooksView(parts.webhooks),
      }),
  }),
];

async function readParts({ click, sign, docgen, webhooks }: Services, since: Timestamp, options: CallOptions) {
  const [acceptances, agreements, generation, endpoints] = await Promise.all([
    unlessAway(click.getActivity({ since }, options)),
    unlessAway(sign.getActivity({ since }, options)),
    unlessAway(docgen.getUsage({}, options)),
    unlessAway(webhooks.getActivity({ since }, options)),
  ]);
  return { acceptances, agreements, generation, webhooks: endpoints };
}

/** Null when the service, or what it needs, cannot be reached. */
async function unlessAway<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked;
  } catch (error) {
    if (isOutage(error)) return null;
    throw error;
  }
}
