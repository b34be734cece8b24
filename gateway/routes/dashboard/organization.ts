import { create } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { CallOptions } from "@connectrpc/connect";
import { usage } from "#api/generation-templates.ts";
import type { JsonSchema } from "#api/kinds.ts";
import { auditEvent, organization } from "#api/organizations.ts";
import { acceptancesToday, agreementsToday, type Overview, webhooksToday } from "#api/overview.ts";
import { type GetActivityResponse, GetActivityResponseSchema } from "#gen/assent/click/v1/click_pb.ts";
import { isOutage } from "#platform/outage.ts";
import { refusedField } from "#platform/problems.ts";
import { isoTime } from "../../../views/scalars.ts";
import { jsonReply } from "../../http/reply.ts";
import { listing, type PageQuery, pageLimit } from "../pages.ts";
import { changeBody, defineRoute, onBehalfOf, queryOf, type Route } from "../route.ts";
import { answer, dateTime, day, described, example, orNull, required, text } from "../schema-parts.ts";
import type { Services } from "../services.ts";
import { dashboardBase, everybody, owners, visitorOf } from "./base.ts";

/** What the auth service answers at most. */
const maxPage = 200;

export const organizationRoutes: readonly Route[] = [
  defineRoute({
    ...dashboardBase,
    operationId: "getOrganization",
    method: "GET",
    path: "/v1/dashboard/organization",
    summary: "Read the organization",
    description: "Includes its plan and limits, which an operator sets.",
    access: everybody,
    success: { status: 200, description: "The organization.", schema: organization.schemas.answer },
    errors: [],
    call: (request, { organizations }) => organizations.getOrganization({}, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, organization.answer(required(answer.organization))),
  }),
  defineRoute({
    ...dashboardBase,
    operationId: "updateOrganization",
    method: "PATCH",
    path: "/v1/dashboard/organization",
    summary: "Change the organization",
    description: "Locale and time zone are defaults for users invited from now on; null resets one.",
    access: owners,
    body: changeBody(organization, { example: { name: "Example AG", locale: "de", timeZone: "Europe/Berlin" } }),
    success: { status: 200, description: "The organization.", schema: organization.schemas.answer },
    errors: [],
    call: (request, { organizations }) =>
      organizations.updateOrganization(
        { ...organization.change(request.body), visitor: visitorOf(request) },
        onBehalfOf(request),
      ),
    respond: (answer) => jsonReply(200, organization.answer(required(answer.organization))),
  }),
  defineRoute({
    ...dashboardBase,
    operationId: "listDashboardAuditEvents",
    method: "GET",
    path: "/v1/dashboard/audit-events",
    summary: "List the audit trail",
    description: "Sign-ins and every change of users, keys, clients and the organization, newest first.",
    access: owners,
    query: queryOf<PageQuery>({
      limit: pageLimit,
      cursor: example(text(1, 100, "X-Next-Cursor of the previous page."), "eyJhZnRlciI6IjAxOTYxMjM0In0"),
    }),
    ...listing(
      { name: "events", items: auditEvent, description: "The events.", maxPage },
      ({ organizations }, { limit, cursor }, options) =>
        organizations.listAuditEvents({ pageSize: limit, cursor }, options),
    ),
  }),
];

const timeZone = example(described(text(1, 64), "A name of the IANA time zone database."), "Europe/Berlin");
const overviewSchema: JsonSchema = answer({
  date: described(day, "The day that it is in the time zone."),
  timeZone,
  from: described(dateTime, "When the day began."),
  acceptances: orNull(acceptancesToday.schemas.answer),
  agreements: orNull(agreementsToday.schemas.answer),
  generation: orNull(usage.schemas.answer),
  webhooks: orNull(webhooksToday.schemas.answer),
});

/** The start page does not wait for a service that is unavailable. */
const patienceMs = 3_000;

export const overviewRoutes: readonly Route[] = [
  defineRoute({
    ...dashboardBase,
    operationId: "getOverview",
    method: "GET",
    path: "/v1/dashboard/overview",
    summary: "Read what happens today",
    description:
      "Today is the day in the time zone. If a service can't be reached, its part is null and the others are returned.",
    access: everybody,
    query: queryOf<{ timeZone?: string }>({
      timeZone: { ...timeZone, description: "An IANA time zone. Default: UTC." },
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
    respond: ({ date, zone, from, hours, ...parts }) => {
      const overview: Overview = {
        date,
        timeZone: zone,
        from: from.toISOString(),
        acceptances: parts.acceptances && acceptancesToday.answer(everyHour(parts.acceptances, hours)),
        agreements: parts.agreements && agreementsToday.answer(parts.agreements),
        generation: parts.generation && usage.answer(parts.generation),
        webhooks: parts.webhooks && webhooksToday.answer(parts.webhooks),
      };
      return jsonReply(200, overview);
    },
  }),
];

/** The same, with the hours in which nothing has happened. */
function everyHour({ hours: counted }: GetActivityResponse, hours: readonly Date[]): GetActivityResponse {
  const known = new Map(counted.map((one) => [isoTime(one.hour), one]));
  const all = hours.map((hour) => known.get(hour.toISOString()) ?? { hour: timestampFromDate(hour) });
  return create(GetActivityResponseSchema, { hours: all });
}

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

/** A calendar day in a time zone. */
export interface LocalDay {
  /** YYYY-MM-DD. */
  readonly date: string;
  /** Its first moment. */
  readonly from: Date;
}

/** More than the longest possible day, when clocks are set back. */
const longestMs = 26 * 60 * 60 * 1_000;
const second = 1_000;

/** The current day in a time zone. Throws VALIDATION_FAILED for an invalid zone. */
export function dayIn(timeZone: string, now: Date): LocalDay {
  const dates = datesOf(timeZone);
  const date = dates.format(now);
  // Clock changes differ by zone and year, so the start of the day is found by binary search.
  let end = Math.floor(now.getTime() / second);
  let before = end - longestMs / second;
  while (end - before > 1) {
    const middle = Math.floor((before + end) / 2);
    if (dates.format(middle * second) === date) end = middle;
    else before = middle;
  }
  return { date, from: new Date(end * second) };
}

const hourMs = 60 * 60 * 1_000;

/** The hours of UTC that have begun between two moments. */
export function hoursBetween(from: Date, to: Date): Date[] {
  const hours: Date[] = [];
  for (let at = Math.ceil(from.getTime() / hourMs) * hourMs; at <= to.getTime(); at += hourMs) hours.push(new Date(at));
  return hours;
}

const zonePattern = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

function datesOf(timeZone: string): Intl.DateTimeFormat {
  try {
    // Writes dates as ISO 8601 does.
    if (timeZone.length <= 64 && zonePattern.test(timeZone)) return new Intl.DateTimeFormat("sv-SE", { timeZone });
  } catch {
    // Said below.
  }
  throw refusedField("timeZone", "INVALID_TIME_ZONE", "must be a time zone such as Europe/Berlin");
}
