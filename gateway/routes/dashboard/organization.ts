import { auditEvent, organization } from "#api/organizations.ts";
import { jsonReply } from "../../http/reply.ts";
import { listing, type PageQuery, pageLimit } from "../pages.ts";
import { required } from "../required.ts";
import { changeBody, defineRoute, onBehalfOf, queryOf, type Route } from "../route.ts";
import { example, text } from "../schema-parts.ts";
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
    description: "With its plan and limits, which an operator sets.",
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
    description: "Locale and time zone are those of users who are invited from then on; null takes one back.",
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
    summary: "List who did what",
    description: "Logins and every change of users, keys, clients and the organization, newest first.",
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
