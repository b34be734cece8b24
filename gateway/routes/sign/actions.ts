import { recipientLink, recipientView, voiding } from "#api/agreement-records.ts";
import { agreement } from "#api/agreements.ts";
import { jsonReply } from "../../http/reply.ts";
import { required } from "../required.ts";
import { createBody, defineRoute, onBehalfOf, type Route } from "../route.ts";
import { requestHash } from "./agreement-input.ts";
import { agreementTag } from "./agreements.ts";
import { admin, send, signBase, withDocuments, write } from "./base.ts";
import { completenessErrors, replayed, replayedHeader } from "./parts.ts";

const base = { ...signBase, tag: agreementTag } as const;
const notFound = { id: "ENVELOPE_NOT_FOUND" } as const;

/** What moves an agreement on. */
export const actionRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "sendAgreement",
    method: "POST",
    path: "/v1/sign/agreements/{id}/send",
    summary: "Send a draft",
    description:
      "Places the anchored tabs and asks the recipients of the first routing order. The same X-Idempotency-Key again answers the agreement as it is now.",
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
    description: "Ends an agreement that was sent and is not completed. Nobody can sign it any more.",
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
    description: "Mails those again whose turn it is.",
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
    operationId: "createRecipientView",
    method: "POST",
    path: "/v1/sign/agreements/{id}/views/recipient",
    summary: "Make a link for an embedded recipient",
    description:
      "Lets a recipient with a clientUserId sign in your application. The link works once, and within 5 minutes. The recipient is found by recipientId, or else by email, userName and clientUserId together.",
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
