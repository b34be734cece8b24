import { agreement } from "#api/agreements.ts";
import { isoTime } from "../../../views/scalars.ts";
import { jsonReply } from "../../http/reply.ts";
import { required } from "../required.ts";
import { defineRoute, jsonBody, onBehalfOf, type Route } from "../route.ts";
import { dateTime, described, example, object, orNull, text } from "../schema-parts.ts";
import { requestHash } from "./agreement-input.ts";
import { agreementTag } from "./agreements.ts";
import { admin, given, send, signBase, withDocuments, write } from "./base.ts";
import { completenessErrors, replayed, replayedHeader } from "./parts.ts";

const base = { ...signBase, tag: agreementTag } as const;
const notFound = { id: "ENVELOPE_NOT_FOUND" } as const;

interface VoidBody {
  readonly voidedReason: string;
}

interface RecipientViewBody {
  readonly recipientId?: string | null;
  readonly email?: string | null;
  readonly userName?: string | null;
  readonly clientUserId?: string | null;
  readonly returnUrl: string;
  readonly frameAncestors?: readonly string[] | null;
  readonly authenticationMethod?: string | null;
}

const recipientViewSchema = object(
  {
    recipientId: orNull(
      example(text(0, 100, "recipientId or recipientIdGuid; or else what the person is called."), "1"),
    ),
    email: orNull(example(text(0, 500), "ann@example.com")),
    userName: orNull(example(text(0, 500, "The recipient's name."), "Ann Example")),
    clientUserId: orNull(example(text(0, 500), "1000")),
    returnUrl: example(text(0, 2_048, "Where the browser goes in the end; https."), "https://www.example.com/signed"),
    frameAncestors: {
      type: ["array", "null"],
      items: text(1, 500),
      maxItems: 20,
      description: "Origins that may show the page in a frame.",
      examples: [["https://www.example.com"]],
    },
    authenticationMethod: orNull(
      example(text(0, 100, "How you know who the person is; kept in the audit trail."), "password"),
    ),
  },
  ["returnUrl"],
);

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
    body: jsonBody<VoidBody>({
      schema: object(
        {
          voidedReason: example(
            text(1, 10_000, "Told to the recipients; its first 200 characters are kept."),
            "A mistake.",
          ),
        },
        ["voidedReason"],
      ),
      example: { voidedReason: "A mistake." },
    }),
    success: { status: 200, description: "The agreement.", schema: agreement.schemas.answer },
    errors: ["INVALID_ENVELOPE_STATUS"],
    call: (request, { sign }) =>
      sign.voidAgreement(
        { agreementId: request.params.id, reason: request.body.voidedReason, observed: request.observed },
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
    body: jsonBody<RecipientViewBody>({
      schema: recipientViewSchema,
      example: { recipientId: "1", returnUrl: "https://www.example.com/signed" },
    }),
    success: {
      status: 201,
      description: "The link.",
      schema: object(
        {
          url: example(
            described({ type: "string" }, "For the browser of the recipient alone."),
            "https://api.example.com/signing/AZYSNFZ4erCN7wEjRWeJqwEjRWeJq83vASNFZ4mrze8",
          ),
          expiresAt: described(dateTime, "Until when it can be opened."),
        },
        ["url", "expiresAt"],
      ),
    },
    errors: [
      "RECIPIENT_NOT_FOUND",
      "RECIPIENT_NOT_EMBEDDED",
      "RECIPIENT_NOT_IN_SEQUENCE",
      "INVALID_ENVELOPE_STATUS",
      "INVALID_RETURN_URL",
    ],
    call: (request, { sign }) => {
      const { recipientId, email, userName, clientUserId, returnUrl, frameAncestors, authenticationMethod } =
        request.body;
      return sign.createRecipientView(
        {
          agreementId: request.params.id,
          ...given({ recipientId, email, userName, clientUserId, authenticationMethod }),
          returnUrl,
          frameAncestors: [...(frameAncestors ?? [])],
          observed: request.observed,
        },
        onBehalfOf(request),
      );
    },
    respond: ({ token, expiresAt }, request) =>
      jsonReply(201, { url: `${request.publicUrl()}/signing/${token}`, expiresAt: isoTime(expiresAt) }),
  }),
];
