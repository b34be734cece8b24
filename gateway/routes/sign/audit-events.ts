import { agreementEvent } from "#api/agreement-records.ts";
import { unknownCursor } from "#platform/cursor.ts";
import { gatherPages, nextPageHeader, type PageQuery, pageLimit, pageReply } from "../pages.ts";
import { defineRoute, onBehalfOf, queryOf, type Route } from "../route.ts";
import { example, listOf, text } from "../schema-parts.ts";
import { agreementTag } from "./agreements.ts";
import { read, signBase } from "./base.ts";

export const auditEventRoutes: readonly Route[] = [
  defineRoute({
    ...signBase,
    tag: agreementTag,
    operationId: "listAuditEvents",
    method: "GET",
    path: "/v1/sign/agreements/{id}/audit-events",
    summary: "List what has happened to an agreement",
    description:
      "Oldest first. Each event has the hash of the one before. Without limit all are returned, up to 1,000.",
    access: read,
    notFound: { id: "ENVELOPE_NOT_FOUND" },
    query: queryOf<PageQuery>({
      limit: pageLimit,
      cursor: example(text(1, 20, "X-Next-Cursor of the previous page."), "200"),
    }),
    success: {
      status: 200,
      description: "The events.",
      schema: listOf(agreementEvent.schemas.answer),
      headers: nextPageHeader,
    },
    errors: [],
    call: ({ query, params, ...request }, { sign }) =>
      gatherPages({ ...query, cursor: String(sequenceOf(query.cursor) || "") }, async ({ limit, cursor }) => {
        const wanted = { agreementId: params.id, afterSequence: sequenceOf(cursor), limit };
        const { events, hasMore } = await sign.listAuditEvents(wanted, onBehalfOf(request));
        const last = events.at(-1)?.sequence;
        return { items: events, nextCursor: hasMore && last !== undefined ? String(last) : "" };
      }),
    respond: (page) => pageReply(agreementEvent, page),
  }),
];

/** Where the page before ended; 0 without one. */
function sequenceOf(cursor = ""): number {
  if (cursor === "") return 0;
  if (/^[1-9]\d{0,8}$/.test(cursor)) return Number(cursor);
  throw unknownCursor();
}
