import { auditEventView, organizationView } from "../../../views/dashboard/organization.ts";
import { defaultLimits } from "../../auth/organization-limits.ts";
import { jsonReply } from "../../http/reply.ts";
import { gatherPages, nextPage, nextPageHeader, pageLimit } from "../pages.ts";
import { required } from "../required.ts";
import { defineRoute, jsonBody, onBehalfOf, queryOf, type Route } from "../route.ts";
import { example, listOf, orNull, text } from "../schema-parts.ts";
import { dashboardBase, everybody, owners, visitorOf } from "./base.ts";
import { auditEventSchema, changes, locale, organizationSchema, timeZone } from "./schemas.ts";

/** What the auth service answers at most. */
const maxPage = 200;

interface OrganizationChanges {
  readonly name?: string;
  readonly locale?: string | null;
  readonly timeZone?: string | null;
}

export const organizationRoutes: readonly Route[] = [
  defineRoute({
    ...dashboardBase,
    operationId: "getOrganization",
    method: "GET",
    path: "/v1/dashboard/organization",
    summary: "Read the organization",
    description: "With its plan and limits, which an operator sets.",
    access: everybody,
    success: { status: 200, description: "The organization.", schema: organizationSchema },
    errors: [],
    call: (request, { organizations }) => organizations.getOrganization({}, onBehalfOf(request)),
    respond: ({ organization }) => jsonReply(200, organizationView(required(organization), defaultLimits)),
  }),
  defineRoute({
    ...dashboardBase,
    operationId: "updateOrganization",
    method: "PATCH",
    path: "/v1/dashboard/organization",
    summary: "Change the organization",
    description: "Locale and time zone are those of users who are invited from then on; null takes one back.",
    access: owners,
    body: jsonBody<OrganizationChanges>({
      schema: changes({
        name: example(text(1, 255), "Example AG"),
        locale: orNull(locale),
        timeZone: orNull(timeZone),
      }),
      example: { name: "Example AG", locale: "de", timeZone: "Europe/Berlin" },
    }),
    success: { status: 200, description: "The organization.", schema: organizationSchema },
    errors: [],
    call: (request, { organizations }) => {
      const { name, locale: language, timeZone: zone } = request.body;
      const changed = { name, locale: emptyForNull(language), timeZone: emptyForNull(zone) };
      return organizations.updateOrganization({ ...changed, visitor: visitorOf(request) }, onBehalfOf(request));
    },
    respond: ({ organization }) => jsonReply(200, organizationView(required(organization), defaultLimits)),
  }),
  defineRoute({
    ...dashboardBase,
    operationId: "listDashboardAuditEvents",
    method: "GET",
    path: "/v1/dashboard/audit-events",
    summary: "List who did what",
    description: "Logins and every change of users, keys, clients and the organization, newest first.",
    access: owners,
    query: queryOf<{ limit?: number; cursor?: string }>({
      limit: pageLimit,
      cursor: example(text(1, 100, "X-Next-Cursor of the previous page."), "eyJhZnRlciI6IjAxOTYxMjM0In0"),
    }),
    success: { status: 200, description: "The events.", schema: listOf(auditEventSchema), headers: nextPageHeader },
    errors: [],
    call: ({ query, ...request }, { organizations }) =>
      gatherPages(query, async ({ limit, cursor }) => {
        const page = { pageSize: Math.min(limit, maxPage), cursor };
        const { events, nextCursor } = await organizations.listAuditEvents(page, onBehalfOf(request));
        return { items: events, nextCursor };
      }),
    respond: ({ items, nextCursor }) => jsonReply(200, items.map(auditEventView), nextPage(nextCursor)),
  }),
];

/** As the auth service takes back what was chosen. */
const emptyForNull = (value: string | null | undefined): string | undefined => (value === null ? "" : value);
