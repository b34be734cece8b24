import type { Agreement } from "#gen/assent/sign/v1/agreement_pb.ts";
import { defined } from "#platform/json-object.ts";
import { envelopeView, type Included, includedIn } from "../../../views/compat/envelope.ts";
import { pageOf, pageUri } from "../../../views/compat/page.ts";
import { jsonReply } from "../../http/reply.ts";
import { jsonBody, onBehalfOf, type Route, type RouteRequest } from "../../routes/route.ts";
import type { Services } from "../../routes/services.ts";
import { type EnvelopeList, type NamedIds, readListQuery } from "../read/list-query.ts";
import { type Reader, readWith } from "../read/reader.ts";
import { compatQuery, defineCompatRoute } from "../route.ts";
import { envelopesSchema, statusBody, statusExample } from "./envelope-schemas.ts";

const base = { tag: "Compatible envelopes", scopes: ["sign:read"] } as const;

export const envelopeFilters = compatQuery({
  from_date: "Start of the time range: 2026-10-21, 2026-10-21T00:00:00Z or 10/21/2026. Default: no limit.",
  to_date: "Until this time.",
  from_to_status:
    "The date that the range applies to: Changed (the default), Created, Sent, Delivered, Completed, Declined, Voided.",
  status: "Only with these statuses: a comma-separated list, or any.",
  envelope_ids: "These only: a comma separated list.",
  transaction_ids: "Only with these transactionIds: a comma-separated list.",
  search_text:
    "Only with this text in the subject, or in a recipient's name or email address. If the organization searches in files, also those with a file that contains all of its words.",
  custom_field: "With this custom field: name=value.",
  email: "Of a recipient; without case.",
  user_name: "The name of a recipient; without case.",
  folder_ids: "Only in these folders: draft, sentitems …",
  folder_types: "The same.",
  count: "The maximum number of items. Default and maximum: 1,000.",
  start_position: "The index of the first one of the page, from 0.",
  continuation_token:
    "The continuationToken of the page before, with the same order: the page after it, however far it is. Excludes start_position.",
  order_by: "status_changed (the default), last_modified, created, sent, completed, subject, status, expire.",
  order: "desc (the default) or asc.",
  include: "custom_fields, documents, recipients, tabs, notification: parts to answer too.",
  exclude: "Parts that are not wanted after all.",
});

type Filters = NonNullable<(typeof envelopeFilters)["queryType"]>;

export const compatEnvelopeListRoutes: readonly Route[] = [
  defineCompatRoute({
    ...base,
    operationId: "compatListEnvelopes",
    method: "GET",
    path: "/envelopes",
    summary: "List envelopes",
    description: "Page by page, by latest status change first.",
    query: envelopeFilters,
    success: { status: 200, description: "A page of envelopes.", schema: envelopesSchema },
    errors: [],
    call: (request, services) => findEnvelopes(listAsked(request.query), request, services),
    respond: (found, { query }) => jsonReply(200, pageView(found, query, "/envelopes")),
  }),
  defineCompatRoute({
    ...base,
    operationId: "compatListEnvelopeStatus",
    method: "PUT",
    path: "/envelopes/status",
    summary: "Read the status of many envelopes",
    description:
      "Like listing envelopes, with IDs from the body: `envelope_ids=request_body` or `transaction_ids=request_body`.",
    query: envelopeFilters,
    body: jsonBody<object>({ schema: statusBody, required: false, example: statusExample }),
    success: { status: 200, description: "A page of envelopes.", schema: envelopesSchema },
    errors: [],
    call: (request, services) => {
      const named = readWith(request.body, namedIds);
      const list = readWith(request.query, (query) => readListQuery(query, named));
      return findEnvelopes(list, request, services);
    },
    respond: (found, { query }) => jsonReply(200, pageView(found, query, "/envelopes/status")),
  }),
];

/** The filters that only the query has. */
export const listAsked = (query: Filters): EnvelopeList => readWith(query, (reader) => readListQuery(reader, unnamed));

const unnamed: NamedIds = { ids: undefined, transactionIds: undefined };

const namedIds = (body: Reader): NamedIds => ({
  ids: body.has("envelopeIds") ? body.texts("envelopeIds") : undefined,
  transactionIds: body.has("transactionIds") ? body.texts("transactionIds") : undefined,
});

function partsOf({ include, exclude }: Filters): Included {
  const excluded = includedIn(exclude);
  return new Set([...includedIn(include)].filter((part) => !excluded.has(part)));
}

export interface FoundEnvelopes {
  readonly envelopes: readonly Agreement[];
  readonly total: number;
  readonly list: EnvelopeList;
  /** Empty on the last page. */
  readonly nextCursor: string;
}

const parts = ["recipients", "tabs", "custom_fields", "documents"];

export async function findEnvelopes(
  list: EnvelopeList,
  request: { readonly query: Filters } & Pick<RouteRequest, "caller">,
  { sign }: Pick<Services, "sign">,
): Promise<FoundEnvelopes> {
  if (list.wanted === undefined) return { envelopes: [], total: 0, list, nextCursor: "" };
  const included = partsOf(request.query);
  const withParts = parts.some((part) => included.has(part));
  const { agreements, total, nextCursor } = await sign.listAgreements(
    { ...list.wanted, withParts },
    onBehalfOf(request),
  );
  return { envelopes: agreements, total: Number(total ?? agreements.length), list, nextCursor };
}

export function pageView(found: FoundEnvelopes, query: Filters, path: string): object {
  const { envelopes, total, nextCursor } = found;
  const { start, count } = found.list;
  // nextUri and previousUri use indexes; the token is for clients that page by token.
  const { continuation_token: _, ...asked } = query;
  const included = partsOf(query);
  const uriFrom = (from: number): string => pageUri(path, asked, { start: from, count });
  return {
    ...pageOf({ start, size: envelopes.length, total, uriFrom }),
    ...defined({
      previousUri: start > 0 ? uriFrom(Math.max(0, start - count)) : undefined,
      continuationToken: nextCursor === "" ? undefined : `${start + envelopes.length}.${nextCursor}`,
    }),
    envelopes: envelopes.map((envelope) => envelopeView(envelope, included)),
  };
}
