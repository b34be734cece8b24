import { correction } from "#api/agreement-bodies.ts";
import { agreementEvent, recipientLink, recipientView, voiding } from "#api/agreement-records.ts";
import { agreement } from "#api/agreements.ts";
import { unknownCursor } from "#platform/cursor.ts";
import { jsonReply } from "../../http/reply.ts";
import { gatherPages, nextPageHeader, type PageQuery, pageLimit, pageReply } from "../pages.ts";
import { createBody, defineRoute, onBehalfOf, queryOf, type Route } from "../route.ts";
import { example, listOf, required, text } from "../schema-parts.ts";
import { requestHash } from "./agreement-input.ts";
import { agreementTag } from "./agreements.ts";
import { admin, read, send, signBase, withDocuments, write } from "./base.ts";
import { completenessErrors, replayed, replayedHeader } from "./parts.ts";

const base = { ...signBase, tag: agreementTag } as const;
const notFound = { id: "ENVELOPE_NOT_FOUND" } as const;
/** Tabs are many: 50 recipients with 100 each. */
const correctionBytes = 1024 * 1024;

/** What moves an agreement on. */
export const actionRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "sendAgreement",
    method: "POST",
    path: "/v1/sign/agreements/{id}/send",
    summary: "Send a draft",
    description:
      "Places the anchored tabs and asks the recipients of the first routing order. The same X-Idempotency-Key returns the agreement as it is now.",
    access: send,
    notFound,
    idempotencyKey: "optional",
    success: { status: 200, description: "The agreement.", schema: agreement.schemas.answer, headers: replayedHeader },
    errors: [
      "VALIDATION_FAILED",
      "ENVELOPE_ALREADY_SENT",
      "INVALID_ENVELOPE_STATUS",
      "INVALID_EMAIL",
      "DUPLICATE_RECIPIENT",
      ...completenessErrors,
      "IDEMPOTENCY_KEY_REUSED",
    ],
    call: (request, { sign }) => {
      const { params, idempotencyKey, observed } = request;
      const hash =
        idempotencyKey === "" ? {} : { requestHash: requestHash("sendAgreement", { agreementId: params.id }, []) };
      return sign.sendAgreement({ agreementId: params.id, idempotencyKey, ...hash, observed }, withDocuments(request));
    },
    respond: ({ agreement: sent, replayed: isReplayed }) =>
      jsonReply(200, agreement.answer(required(sent)), isReplayed ? replayed : {}),
  }),
  defineRoute({
    ...base,
    operationId: "voidAgreement",
    method: "POST",
    path: "/v1/sign/agreements/{id}/void",
    summary: "Void an agreement",
    description: "Ends an agreement that was sent and isn't completed. No one can sign it any more.",
    access: admin,
    notFound,
    body: createBody(voiding, { example: { voidedReason: "A mistake." } }),
    success: { status: 200, description: "The agreement.", schema: agreement.schemas.answer },
    errors: ["INVALID_ENVELOPE_STATUS"],
    call: (request, { sign }) =>
      sign.voidAgreement(
        { ...voiding.create(request.body), agreementId: request.params.id, observed: request.observed },
        onBehalfOf(request),
      ),
    respond: (answer) => jsonReply(200, agreement.answer(required(answer.agreement))),
  }),
  defineRoute({
    ...base,
    operationId: "remindAgreement",
    method: "POST",
    path: "/v1/sign/agreements/{id}/remind",
    summary: "Remind the recipients",
    description: "Emails the recipients whose turn it is again.",
    access: send,
    notFound,
    success: { status: 200, description: "The agreement.", schema: agreement.schemas.answer },
    errors: ["INVALID_ENVELOPE_STATUS"],
    call: (request, { sign }) =>
      sign.remindAgreement({ agreementId: request.params.id, observed: request.observed }, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, agreement.answer(required(answer.agreement))),
  }),
  defineRoute({
    ...base,
    operationId: "resumeAgreement",
    method: "POST",
    path: "/v1/sign/agreements/{id}/resume",
    summary: "Resume a paused agreement",
    description:
      "Asks the recipients who wait now: sends an agreement that is scheduled, or ends the pause it is in. The same X-Idempotency-Key returns the agreement as it is now and ends no further pause.",
    access: send,
    notFound,
    idempotencyKey: "optional",
    success: { status: 200, description: "The agreement.", schema: agreement.schemas.answer, headers: replayedHeader },
    errors: ["INVALID_ENVELOPE_STATUS", "IDEMPOTENCY_KEY_REUSED"],
    call: (request, { sign }) => {
      const { params, idempotencyKey, observed } = request;
      const hash =
        idempotencyKey === "" ? {} : { requestHash: requestHash("resumeAgreement", { agreementId: params.id }, []) };
      return sign.resumeAgreement({ agreementId: params.id, idempotencyKey, ...hash, observed }, onBehalfOf(request));
    },
    respond: ({ agreement: resumed, replayed: isReplayed }) =>
      jsonReply(200, agreement.answer(required(resumed)), isReplayed ? replayed : {}),
  }),
  defineRoute({
    ...base,
    operationId: "correctAgreement",
    method: "POST",
    path: "/v1/sign/agreements/{id}/corrections",
    summary: "Correct a sent agreement",
    description:
      "Makes all changes at once, or none. Documents stay, and so does what recipients have finished. A recipient who gets another name or address is another person: the previous person's links stop working, and the new person is asked. Recipients whose turn it is have to open the agreement again; everyone affected gets an email. The same X-Idempotency-Key returns the agreement as it is now.",
    access: write,
    notFound,
    idempotencyKey: "optional",
    body: createBody(correction, {
      maxBytes: correctionBytes,
      example: {
        reason: "Ben has left the company.",
        recipients: { signers: [{ recipientId: "2", name: "Cara Example", email: "cara@example.com" }] },
        tabs: [{ recipientId: "2", add: [{ type: "initials", documentId: "1", page: 1, x: 153, y: 230 }] }],
        expiration: { enabled: true, afterDays: 30 },
      },
    }),
    success: { status: 200, description: "The agreement.", schema: agreement.schemas.answer, headers: replayedHeader },
    errors: [
      "INVALID_ENVELOPE_STATUS",
      "ENVELOPE_CONFLICT",
      "RECIPIENT_NOT_FOUND",
      "RECIPIENT_ALREADY_SIGNED",
      "TAB_NOT_FOUND",
      "INVALID_EMAIL",
      "DUPLICATE_RECIPIENT",
      "CORRUPTED_DOCUMENT",
      ...completenessErrors,
      "IDEMPOTENCY_KEY_REUSED",
    ],
    call: (request, { sign }) => {
      const { params, body, idempotencyKey, observed } = request;
      const asked = { agreementId: params.id, body };
      const hash = idempotencyKey === "" ? {} : { requestHash: requestHash("correctAgreement", asked, []) };
      const given = { ...correction.create(body), agreementId: params.id, idempotencyKey, ...hash, observed };
      return sign.correctAgreement(given, withDocuments(request));
    },
    respond: ({ agreement: corrected, replayed: isReplayed }) =>
      jsonReply(200, agreement.answer(required(corrected)), isReplayed ? replayed : {}),
  }),
  defineRoute({
    ...base,
    operationId: "createRecipientView",
    method: "POST",
    path: "/v1/sign/agreements/{id}/views/recipient",
    summary: "Create a link for an embedded recipient",
    description:
      "Lets a recipient with a clientUserId sign in your application. The link works once, within 5 minutes. Identify the recipient by recipientId, or by email, userName and clientUserId together.",
    access: write,
    notFound,
    body: createBody(recipientView, { example: { recipientId: "1", returnUrl: "https://www.example.com/signed" } }),
    success: { status: 201, description: "The link.", schema: recipientLink.schemas.answer },
    errors: [
      "RECIPIENT_NOT_FOUND",
      "RECIPIENT_NOT_EMBEDDED",
      "RECIPIENT_NOT_IN_SEQUENCE",
      "INVALID_ENVELOPE_STATUS",
      "INVALID_RETURN_URL",
    ],
    call: (request, { sign }) =>
      sign.createRecipientView(
        { ...recipientView.create(request.body), agreementId: request.params.id, observed: request.observed },
        onBehalfOf(request),
      ),
    respond: (answer, request) =>
      jsonReply(201, recipientLink.answer(answer, { url: `${request.publicUrl()}/signing/${answer.token}` })),
  }),
];

export const auditEventRoutes: readonly Route[] = [
  defineRoute({
    ...signBase,
    tag: agreementTag,
    operationId: "listAuditEvents",
    method: "GET",
    path: "/v1/sign/agreements/{id}/audit-events",
    summary: "List the audit events of an agreement",
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
