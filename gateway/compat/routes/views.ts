import { SenderViewKind } from "#gen/assent/sign/v1/sign_pb.ts";
import { DomainError, type ErrorCode } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { jsonReply, type Reply } from "../../http/reply.ts";
import { jsonBody, onBehalfOf, type Route, type RouteRequest } from "../../routes/route.ts";
import type { Services } from "../../routes/services.ts";
import { type Reader, readWith } from "../read/reader.ts";
import { defineCompatRoute } from "../route.ts";
import { looseBody, textsAnswer } from "../schema-parts.ts";

const base = { tag: "Compatible views", method: "POST", scopes: ["sign:write"] } as const;

const returnUrl = "The URL that the person is redirected to: an absolute https URL of at most 470 characters.";

const recipientBody = jsonBody<object>({
  schema: looseBody({
    returnUrl,
    email:
      "The recipient's email address. Case-insensitive. Together with userName and clientUserId it identifies the recipient.",
    userName: "The name of the recipient.",
    clientUserId: "As it was given to the recipient.",
    recipientId: "The recipientId of the recipient, or the GUID; does instead of the three.",
    userId: "The GUID of the recipient; does instead too.",
    authenticationMethod: "How you verified who the person is. Recorded in the audit trail.",
    frameAncestors: "Origins of pages that may show the signing page in a frame.",
  }),
  example: {
    returnUrl: "https://www.example.com/welcome",
    authenticationMethod: "none",
    email: "ann@example.com",
    userName: "Ann",
    clientUserId: "1000",
  },
});

const senderBody = jsonBody<object>({
  schema: looseBody({ returnUrl, viewAccess: "Ignored.", settings: "Ignored." }),
  example: { returnUrl: "https://www.example.com/welcome", viewAccess: "envelope" },
});

const consoleBody = jsonBody<object>({
  schema: looseBody({ returnUrl, envelopeId: "The envelope that is shown; nothing is shown without it." }),
  required: false,
  example: { returnUrl: "https://www.example.com/welcome", envelopeId: "01961234-5678-7abc-8def-0123456789ab" },
});

const success = {
  status: 201,
  description: "A link that can be opened once, within 5 minutes.",
  schema: textsAnswer({ url: "https://api.example.com/signing/dG9rZW4" }, {}, ["url"]),
} as const;

export const compatViewRoutes: readonly Route[] = [
  defineCompatRoute({
    ...base,
    operationId: "compatCreateRecipientView",
    path: "/envelopes/{envelopeId}/views/recipient",
    summary: "Create a link for an embedded recipient",
    description:
      "Identify the recipient by email, userName and clientUserId, which all have to match, or by recipientId or userId. Recipients without a clientUserId are asked by email instead. When the person is done, the browser is redirected to returnUrl with `event=signing_complete`, `viewing_complete`, `cancel`, `decline`, `session_timeout` or `ttl_expired`.",
    body: recipientBody,
    success,
    errors: [
      "RECIPIENT_NOT_FOUND",
      "RECIPIENT_NOT_EMBEDDED",
      "RECIPIENT_NOT_IN_SEQUENCE",
      "INVALID_ENVELOPE_STATUS",
      "INVALID_RETURN_URL",
    ],
    call: (request, { sign }) =>
      sign.createRecipientView(
        {
          agreementId: request.params.envelopeId,
          ...readWith(request.body, recipientOf),
          observed: request.observed,
        },
        onBehalfOf(request),
      ),
    respond: linkReply,
  }),
  senderRow({
    operationId: "compatCreateSenderView",
    view: "sender",
    kind: SenderViewKind.SEND,
    summary: "Create a link to view and send a draft",
  }),
  senderRow({
    operationId: "compatCreateEditView",
    view: "edit",
    kind: SenderViewKind.EDIT,
    summary: "Create a link to view a draft",
  }),
  senderRow({
    operationId: "compatCreateCorrectView",
    view: "correct",
    kind: SenderViewKind.LOOK,
    summary: "Create a link to view an envelope",
    description: "Sent envelopes can't be corrected on this page: it shows the envelope and leads back.",
  }),
  defineCompatRoute({
    ...base,
    operationId: "compatCreateConsoleView",
    path: "/views/console",
    summary: "Create a link to view an envelope or the account",
    description:
      "Shows the envelope and changes nothing. There is no console: without an envelope, the page leads back.",
    body: consoleBody,
    success,
    errors: ["ENVELOPE_NOT_FOUND", "INVALID_RETURN_URL"],
    call: (request, services) => {
      const agreementId = readWith(request.body, (body) => body.text("envelopeId")?.trim().toLowerCase() ?? "");
      if (agreementId !== "" && !isUuid(agreementId)) throw new DomainError("ENVELOPE_NOT_FOUND");
      return createSenderView(request, services, { agreementId, kind: SenderViewKind.LOOK });
    },
    respond: linkReply,
  }),
];

function recipientOf(body: Reader) {
  const textOf = (name: string): string => body.text(name)?.trim() ?? "";
  return {
    recipientId: textOf("recipientId") || textOf("userId"),
    email: textOf("email"),
    userName: textOf("userName"),
    clientUserId: textOf("clientUserId"),
    returnUrl: body.text("returnUrl") ?? "",
    frameAncestors: [...body.texts("frameAncestors")],
    authenticationMethod: textOf("authenticationMethod").slice(0, 100),
  };
}

interface SenderRow {
  readonly operationId: string;
  readonly view: "sender" | "edit" | "correct";
  readonly kind: SenderViewKind;
  readonly summary: string;
  readonly description?: string;
}

function senderRow({ view, kind, ...described }: SenderRow): Route {
  // A sender view lets its user send, so creating one requires the scope to send.
  const scopes = kind === SenderViewKind.SEND ? (["sign:send", "sign:write"] as const) : base.scopes;
  const ofDrafts: readonly ErrorCode[] = kind === SenderViewKind.LOOK ? [] : ["INVALID_ENVELOPE_STATUS"];
  return defineCompatRoute({
    ...base,
    ...described,
    scopes,
    path: `/envelopes/{envelopeId}/views/${view}`,
    body: senderBody,
    success,
    errors: [...ofDrafts, "INVALID_RETURN_URL"],
    call: (request, services) => {
      const { envelopeId } = request.params as { readonly envelopeId: string };
      // Only the console view has no return URL.
      if (returnUrlOf(request) === "") throw new DomainError("INVALID_RETURN_URL");
      return createSenderView(request, services, { agreementId: envelopeId, kind });
    },
    respond: linkReply,
  });
}

const returnUrlOf = ({ body }: Pick<RouteRequest, "body">): string =>
  readWith(body, (reader) => reader.text("returnUrl") ?? "");

const createSenderView = (
  request: Pick<RouteRequest, "body" | "caller" | "observed">,
  { sign }: Services,
  view: { readonly agreementId: string; readonly kind: SenderViewKind },
) =>
  sign.createSenderView(
    {
      ...view,
      returnUrl: returnUrlOf(request),
      observed: request.observed,
    },
    onBehalfOf(request),
  );

function linkReply({ token }: { readonly token: string }, { publicUrl }: Pick<RouteRequest, "publicUrl">): Reply {
  return jsonReply(201, { url: `${publicUrl()}/signing/${token}` });
}
