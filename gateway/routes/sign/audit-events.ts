import { DomainError } from "#platform/errors.ts";
import { auditEventView } from "../../../views/sign/audit-event.ts";
import { statuses } from "../../../views/sign/names.ts";
import { jsonReply } from "../../http/reply.ts";
import { gatherPages, nextPage, nextPageHeader, pageLimit } from "../pages.ts";
import { defineRoute, onBehalfOf, queryOf, type Route } from "../route.ts";
import { answer, anyText, count, dateTime, described, example, listOf, oneOf, orNull, text } from "../schema-parts.ts";
import { agreementTag } from "./agreements.ts";
import { read, signBase } from "./base.ts";

const eventHash = (description: string) => described(example(anyText, "0123456789abcdef".repeat(4)), description);

const auditEventSchema = answer({
  sequence: example(described(count, "From 1, without gaps."), 1),
  occurredAt: dateTime,
  action: example(anyText, "agreement.created"),
  source: example(described(anyText, "api, signer or system."), "api"),
  actor: answer({
    id: orNull(example(described(anyText, "The client, or the recipient."), "cl_0123456789abcdefABCDEF")),
    name: orNull(example(anyText, "Example AG")),
    email: orNull({ ...anyText, examples: [null] }),
  }),
  ip: orNull(example(anyText, "192.0.2.1")),
  userAgent: orNull(
    example(described(anyText, "What the program calls itself; the first 300 characters."), "curl/8.5.0"),
  ),
  claimed: described(
    listOf(example(anyText, "userAgent")),
    "Members that somebody has said and nobody has seen: all others are what the service saw or did itself. Not part of the hash.",
  ),
  details: { type: "object", description: "What the action needs to be understood.", examples: [{}] },
  agreementStatus: example(described(oneOf(...statuses.names), "After the event."), "created"),
  previousHash: eventHash("hash of the event before; zeros before the first."),
  hash: eventHash("SHA-256 of the canonical JSON (RFC 8785) of the event with previousHash, without claimed."),
});

interface EventsQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

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
    query: queryOf<EventsQuery>({
      limit: pageLimit,
      cursor: example(text(1, 20, "X-Next-Cursor of the previous page."), "200"),
    }),
    success: { status: 200, description: "The events.", schema: listOf(auditEventSchema), headers: nextPageHeader },
    errors: [],
    call: ({ query, params, ...request }, { sign }) =>
      gatherPages({ ...query, cursor: String(sequenceOf(query.cursor) || "") }, async ({ limit, cursor }) => {
        const wanted = { agreementId: params.id, afterSequence: sequenceOf(cursor), limit };
        const { events, hasMore } = await sign.listAuditEvents(wanted, onBehalfOf(request));
        const last = events.at(-1)?.sequence;
        return { items: events, nextCursor: hasMore && last !== undefined ? String(last) : "" };
      }),
    respond: ({ items, nextCursor }) => jsonReply(200, items.map(auditEventView), nextPage(nextCursor)),
  }),
];

/** Where the page before ended; 0 without one. */
function sequenceOf(cursor = ""): number {
  if (cursor === "") return 0;
  if (/^[1-9]\d{0,8}$/.test(cursor)) return Number(cursor);
  throw new DomainError("VALIDATION_FAILED", {
    details: [{ field: "cursor", code: "INVALID_CURSOR", message: "must be a cursor that a previous page gave" }],
  });
}
