import { addedPeople, campaign, campaignPeople, campaignPerson } from "#api/campaigns.ts";
import type { Campaign } from "#gen/assent/click/v1/click_pb.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply, noContent, type Reply } from "../http/reply.ts";
import { userRefParam } from "./consent.ts";
import { gatherPages, listing, nextPageHeader, type PageQuery, pageLimit, pageReply } from "./pages.ts";
import { changeBody, createBody, defineRoute, onBehalfOf, type ProtectedAccess, queryOf, type Route } from "./route.ts";
import { described, listOf, oneOf, required, text } from "./schema-parts.ts";

const read: ProtectedAccess = { scopes: ["click:read"], limitGroup: "other" };
const write: ProtectedAccess = { scopes: ["click:write"], limitGroup: "other" };
const base = { tag: "Campaigns", dialect: clickDialect } as const;
const ofCampaign = { id: "CLICK_CAMPAIGN_NOT_FOUND" } as const;
const answer = campaign.schemas.answer;
/** 10,000 references of 255 Latin letters fit; a service takes 4 MiB. */
const peopleBytes = 3 * 1_048_576;
const cursor = described(text(1, 200), "X-Next-Cursor of the previous page.");

interface PeopleQuery extends PageQuery {
  readonly state?: string;
  readonly userRef?: string;
}

export const campaignRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "createCampaign",
    method: "POST",
    path: "/v1/click/campaigns",
    summary: "Draft a campaign",
    description:
      "A campaign asks people to accept a template by a date, counts who has accepted, and tells you through webhooks when to remind the others. Add the people, then start it. The same X-Idempotency-Key with the same body returns the first campaign.",
    access: write,
    idempotencyKey: "optional",
    body: createBody(campaign, {
      example: {
        name: "Terms 2027",
        templateId: "01961234-5678-7abc-8def-0123456789ab",
        dueAt: "2026-12-31T23:00:00Z",
        reminders: { daysBefore: [14, 3, 1], at: "09:00", timeZone: "Europe/Berlin" },
      },
    }),
    success: { status: 201, description: "The draft.", schema: answer },
    errors: [
      "CLICK_TEMPLATE_NOT_FOUND",
      "CLICK_VERSION_NOT_FOUND",
      "CLICK_IDEMPOTENCY_KEY_INVALID",
      "CLICK_IDEMPOTENCY_KEY_REUSED",
      "CLICK_TOO_MANY_CAMPAIGNS",
    ],
    call: (request, { click }) => {
      const wish = { ...campaign.create(request.body), idempotencyKey: request.idempotencyKey };
      return click.createCampaign(wish, onBehalfOf(request));
    },
    respond: (made) => campaignReply(201, made.campaign),
  }),
  defineRoute({
    ...base,
    operationId: "listCampaigns",
    method: "GET",
    path: "/v1/click/campaigns",
    summary: "List campaigns",
    description: "Newest first. Without limit, up to 1,000.",
    access: read,
    query: queryOf<PageQuery>({ limit: pageLimit, cursor }),
    ...listing(
      { name: "campaigns", items: campaign, description: "The campaigns.", maxPage: 200 },
      ({ click }, page, options) => click.listCampaigns(page, options),
    ),
  }),
  defineRoute({
    ...base,
    operationId: "getCampaign",
    method: "GET",
    path: "/v1/click/campaigns/{id}",
    summary: "Read a campaign",
    description: "Its counts are exact: each person is in one of them, and moves within a second of their decision.",
    access: read,
    besideLimit: true,
    notFound: ofCampaign,
    success: { status: 200, description: "The campaign.", schema: answer },
    errors: [],
    call: (request, { click }) => click.getCampaign({ campaignId: request.params.id }, onBehalfOf(request)),
    respond: (found) => campaignReply(200, found.campaign),
  }),
  defineRoute({
    ...base,
    operationId: "updateCampaign",
    method: "PATCH",
    path: "/v1/click/campaigns/{id}",
    summary: "Rename or extend a campaign, or change its reminders",
    description:
      "Absent members stay as they are; reminders are replaced as a whole. A later dueAt reopens a campaign that has ended.",
    access: write,
    notFound: ofCampaign,
    body: changeBody(campaign, { example: { dueAt: "2027-01-31T23:00:00Z" } }),
    success: { status: 200, description: "The changed campaign.", schema: answer },
    errors: ["CLICK_CAMPAIGN_CLOSED"],
    call: (request, { click }) =>
      click.updateCampaign({ ...campaign.change(request.body), campaignId: request.params.id }, onBehalfOf(request)),
    respond: (changed) => campaignReply(200, changed.campaign),
  }),
  defineRoute({
    ...base,
    operationId: "addCampaignPeople",
    method: "POST",
    path: "/v1/click/campaigns/{id}/people",
    summary: "Add people to a campaign",
    description:
      "Up to 10,000 per request, in a body of at most 3 MiB, and 1,000,000 per campaign. People who are already in it stay as they are, so you can safely retry. People added while the campaign runs are asked immediately.",
    access: write,
    notFound: ofCampaign,
    body: createBody(campaignPeople, { example: { userRefs: ["user-42", "user-43"] }, maxBytes: peopleBytes }),
    success: { status: 200, description: "How many were added.", schema: addedPeople.schemas.answer },
    errors: ["CLICK_CAMPAIGN_CLOSED", "CLICK_CAMPAIGN_FULL"],
    call: (request, { click }) =>
      click.addCampaignPeople(
        { ...campaignPeople.create(request.body), campaignId: request.params.id },
        onBehalfOf(request),
      ),
    respond: (added) => jsonReply(200, addedPeople.answer(added)),
  }),
  defineRoute({
    ...base,
    operationId: "listCampaignPeople",
    method: "GET",
    path: "/v1/click/campaigns/{id}/people",
    summary: "List the people of a campaign",
    description:
      "In no particular order. Without limit, up to 1,000. To get everyone who is outstanding in one file, export them.",
    access: read,
    notFound: ofCampaign,
    query: queryOf<PeopleQuery>({
      state: described(
        oneOf("LISTED", "ASKED", "OVERDUE", "ACCEPTED", "DECLINED", "WITHDRAWN", "OUTSTANDING"),
        "Returns only people in this state. OUTSTANDING: everyone who was asked and hasn't accepted.",
      ),
      userRef: described(text(1, 255), "Only this user."),
      limit: pageLimit,
      cursor,
    }),
    success: {
      status: 200,
      description: "The people.",
      schema: listOf(campaignPerson.schemas.answer),
      headers: nextPageHeader,
    },
    errors: [],
    call: (request, { click }) =>
      gatherPages(request.query, async (page) => {
        const { state = "", userRef } = request.query;
        const wanted = { ...page, campaignId: request.params.id, state, userRef };
        const answer = await click.listCampaignPeople(wanted, onBehalfOf(request));
        return { items: answer.people, nextCursor: answer.nextCursor };
      }),
    respond: (page) => pageReply(campaignPerson, page),
  }),
  defineRoute({
    ...base,
    operationId: "removeCampaignPerson",
    method: "DELETE",
    path: "/v1/click/campaigns/{id}/people/{userRef}",
    summary: "Remove someone from a campaign",
    description:
      "They are removed from all its counts, and can be added again. The response is the same for someone who isn't in it. After a campaign was canceled, its counts stay.",
    access: write,
    texts: { userRef: userRefParam },
    notFound: ofCampaign,
    success: { status: 204, description: "The campaign doesn't include them." },
    errors: ["CLICK_CAMPAIGN_CLOSED"],
    call: (request, { click }) => {
      const { id: campaignId, userRef } = request.params;
      return click.removeCampaignPerson({ campaignId, userRef }, onBehalfOf(request));
    },
    respond: () => noContent,
  }),
  defineRoute({
    ...base,
    operationId: "startCampaign",
    method: "POST",
    path: "/v1/click/campaigns/{id}/start",
    summary: "Start a campaign",
    description:
      "Checks in the background what everyone has accepted. Then click.campaign.started tells you whom to ask. Starting a running campaign changes nothing.",
    access: write,
    notFound: ofCampaign,
    success: { status: 200, description: "The running campaign.", schema: answer },
    errors: [
      "CLICK_CAMPAIGN_CLOSED",
      "CLICK_CAMPAIGN_EMPTY",
      "CLICK_TEMPLATE_NOT_FOUND",
      "CLICK_VERSION_NOT_PUBLISHED",
    ],
    call: (request, { click }) => click.startCampaign({ campaignId: request.params.id }, onBehalfOf(request)),
    respond: (started) => campaignReply(200, started.campaign),
  }),
  defineRoute({
    ...base,
    operationId: "cancelCampaign",
    method: "POST",
    path: "/v1/click/campaigns/{id}/cancel",
    summary: "Cancel a campaign",
    description: "Counting and reminders stop; the counts stay. This can't be undone.",
    access: write,
    notFound: ofCampaign,
    success: { status: 200, description: "The canceled campaign.", schema: answer },
    errors: [],
    call: (request, { click }) => click.cancelCampaign({ campaignId: request.params.id }, onBehalfOf(request)),
    respond: (cancelled) => campaignReply(200, cancelled.campaign),
  }),
  defineRoute({
    ...base,
    operationId: "deleteCampaign",
    method: "DELETE",
    path: "/v1/click/campaigns/{id}",
    summary: "Delete a draft",
    description: "Deletes its people too. To end a campaign that was started, cancel it instead.",
    access: write,
    notFound: ofCampaign,
    success: { status: 204, description: "The draft was deleted." },
    errors: ["CLICK_CAMPAIGN_STARTED"],
    call: (request, { click }) => click.deleteCampaign({ campaignId: request.params.id }, onBehalfOf(request)),
    respond: () => noContent,
  }),
];

const campaignReply = (status: number, message: Campaign | undefined): Reply =>
  jsonReply(status, campaign.answer(required(message)));
