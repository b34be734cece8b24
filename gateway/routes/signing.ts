import { type AdoptedSignature, SenderDecision } from "#gen/assent/sign/v1/signing_pb.ts";
import { DomainError, type ErrorCode } from "#platform/errors.ts";
import { isoTime } from "../../views/scalars.ts";
import { textOrNull } from "../../views/sign/texts.ts";
import { decodeBase64 } from "../http/base64.ts";
import { standardDialect } from "../http/error-dialect.ts";
import { attachment } from "../http/file-reply.ts";
import { jsonReply, type Reply } from "../http/reply.ts";
import { ceremonyView } from "../signing/ceremony-view.ts";
import { requireOwnOrigin, requireSessionToken, visitorOf } from "../signing/session.ts";
import { defineRoute, jsonBody, type Route, type RouteRequest } from "./route.ts";
import { signingPageRoutes } from "./signing-page.ts";
import * as schemas from "./signing-schemas.ts";

interface TabValue {
  readonly tabId: string;
  readonly value: string;
}

interface Adopted {
  readonly typed: string;
  readonly font: string;
  readonly drawnPng: string;
}

interface FinishBody {
  readonly values: readonly TabValue[];
  readonly signature?: Adopted | null;
  readonly initials?: Adopted | null;
}

const base = {
  tag: schemas.signingTag,
  access: "public",
  dialect: standardDialect,
  texts: { sid: schemas.sessionParam },
} as const;
const read = { ...base, method: "GET" } as const;
const write = { ...base, method: "POST" } as const;
const turnErrors = [
  "VIEW_URL_EXPIRED",
  "INVALID_ENVELOPE_STATUS",
  "RECIPIENT_ALREADY_SIGNED",
  "RECIPIENT_NOT_IN_SEQUENCE",
] as const satisfies readonly ErrorCode[];
const endedAnswer = { status: 200, description: "Where to go next.", schema: schemas.endedSchema } as const;
const sampleTab = "01961234-5678-7abc-8def-0123456789ab";

/** Documents and what is drawn are megabytes, and the last signature does more than the others. */
const patiently = { timeoutMs: 30_000 } as const;

/** What the page of a session does. */
export const signingRoutes: readonly Route[] = [
  ...signingPageRoutes,
  defineRoute({
    ...read,
    operationId: "getCeremony",
    path: "/signing/s/{sid}/ceremony",
    summary: "Read what a session shows",
    description:
      "The agreement as its person sees it, with their own tabs, and the texts to consent to while that is asked for.",
    success: { status: 200, description: "The ceremony.", schema: schemas.ceremonySchema },
    errors: ["VIEW_URL_EXPIRED", "RECIPIENT_NOT_IN_SEQUENCE"],
    call: (request, { signing }) => signing.getCeremony({ sessionToken: requireSessionToken(request) }),
    respond: (ceremony) => jsonReply(200, ceremonyView(ceremony)),
  }),
  defineRoute({
    ...read,
    operationId: "getCeremonyDocument",
    path: "/signing/s/{sid}/documents/{documentId}",
    summary: "Load a document of a session",
    description:
      "The first time in a session counts as opening the agreement, since it is what the service sees itself: following the link does not, as programs that check mails do that too, nor does consenting. HEAD opens nothing.",
    texts: { ...base.texts, documentId: schemas.documentParam },
    success: { status: 200, description: "The PDF.", contentType: "application/pdf" },
    errors: ["VIEW_URL_EXPIRED", "RECIPIENT_NOT_IN_SEQUENCE"],
    call: async (request, { signing }) => {
      const sessionToken = requireSessionToken(request);
      if (request.method === "HEAD") {
        await signing.getCeremony({ sessionToken });
        return undefined;
      }
      const { documentId } = request.params;
      return signing.getCeremonyDocument({ sessionToken, documentId, visitor: visitorOf(request) }, patiently);
    },
    respond: (document) => (document === undefined ? unopenedFile : pdfReply(document.content, document.fileName)),
  }),
  defineRoute({
    ...write,
    operationId: "giveSigningConsent",
    path: "/signing/s/{sid}/consent",
    summary: "Record the consent to electronic records",
    description:
      "Given to one of the texts of `consent.texts` of the ceremony. Any other hash, or the locale of another text, is 400 and records nothing. The text is kept; `GET /v1/sign/agreements/{id}/consent-texts` reads it.",
    body: jsonBody<{ textSha256: string; locale: string }>({
      schema: schemas.consentBody,
      example: { textSha256: "0123456789abcdef".repeat(4), locale: "en" },
    }),
    success: { status: 200, description: "When it was given.", schema: schemas.consentSchema },
    errors: turnErrors,
    call: (request, { signing }) => {
      const { textSha256, locale } = request.body;
      return signing.giveConsent({ ...sender(request), textSha256: Buffer.from(textSha256, "hex"), locale });
    },
    respond: ({ consentedAt }) => jsonReply(200, { consentedAt: isoTime(consentedAt) }),
  }),
  defineRoute({
    ...write,
    operationId: "addSigningAttachment",
    path: "/signing/s/{sid}/attachments",
    summary: "Attach a file to a tab",
    description: "What is answered is the value of the tab when the person finishes.",
    body: jsonBody<{ tabId: string; fileName: string; contentBase64: string }>({
      schema: schemas.attachmentBody,
      maxBytes: schemas.maxAttachmentBytes,
      example: { tabId: sampleTab, fileName: "passport.pdf", contentBase64: "JVBERi0xLjc=" },
    }),
    success: { status: 200, description: "It is kept.", schema: schemas.attachedSchema },
    errors: [...turnErrors, "TAB_NOT_FOUND"],
    call: (request, { signing }) => {
      const { tabId, fileName, contentBase64 } = request.body;
      const content = bytesOf(contentBase64, "contentBase64");
      return signing.addAttachment({ ...sender(request), tabId, fileName, content }, patiently);
    },
    respond: ({ value }) => jsonReply(200, { value }),
  }),
  defineRoute({
    ...write,
    operationId: "finishSigning",
    path: "/signing/s/{sid}/finish",
    summary: "Sign",
    description: "All values are checked first; problems name the tabs. Ends the session.",
    body: jsonBody<FinishBody>({
      schema: schemas.finishBody,
      maxBytes: schemas.maxFinishBytes,
      example: {
        values: [{ tabId: sampleTab, value: "Example GmbH" }],
        signature: { typed: "Ann Example", font: "caveat", drawnPng: "" },
        initials: { typed: "AE", font: "caveat", drawnPng: "" },
      },
    }),
    success: endedAnswer,
    errors: [...turnErrors, "CONSENT_REQUIRED", "DOCUMENTS_NOT_OPENED"],
    call: (request, { signing }) => {
      const { values, signature, initials } = request.body;
      const adopted = { signature: adoptedIn(signature, "signature"), initials: adoptedIn(initials, "initials") };
      return signing.finishSigning({ ...sender(request), values: [...values], ...adopted }, patiently);
    },
    respond: endedReply,
  }),
  defineRoute({
    ...write,
    operationId: "declineSigning",
    path: "/signing/s/{sid}/decline",
    summary: "Decline to sign",
    description: "The agreement ends for everybody.",
    body: jsonBody<{ reason: string }>({ schema: schemas.declineBody, example: { reason: "The price is wrong." } }),
    success: endedAnswer,
    errors: turnErrors,
    call: (request, { signing }) => signing.declineSigning({ ...sender(request), reason: request.body.reason }),
    respond: endedReply,
  }),
  defineRoute({
    ...write,
    operationId: "leaveSigning",
    path: "/signing/s/{sid}/leave",
    summary: "Finish later",
    description: "Keeps the values so far and ends the session.",
    body: jsonBody<{ values: readonly TabValue[] }>({
      schema: schemas.leaveBody,
      maxBytes: schemas.maxFinishBytes,
      example: { values: [{ tabId: sampleTab, value: "Example GmbH" }] },
    }),
    success: endedAnswer,
    errors: turnErrors,
    call: (request, { signing }) => signing.leaveSigning({ ...sender(request), values: [...request.body.values] }),
    respond: endedReply,
  }),
  defineRoute({
    ...write,
    operationId: "decideSending",
    path: "/signing/s/{sid}/decision",
    summary: "Send or save a draft",
    description: "For the page of a sender. Ends the session.",
    body: jsonBody<{ decision: "send" | "save" | "cancel" }>({
      schema: schemas.decisionBody,
      example: { decision: "send" },
    }),
    success: endedAnswer,
    errors: [
      "VIEW_URL_EXPIRED",
      "INVALID_ENVELOPE_STATUS",
      "ENVELOPE_ALREADY_SENT",
      "INVALID_EMAIL",
      "DUPLICATE_RECIPIENT",
      "DOCUMENTS_REQUIRED",
      "RECIPIENTS_REQUIRED",
      "ANCHOR_TAB_STRING_NOT_FOUND",
    ],
    call: (request, { signing }) =>
      signing.endSenderView({ ...sender(request), decision: decisions[request.body.decision] }, patiently),
    respond: endedReply,
  }),
];

const decisions = {
  send: SenderDecision.SEND,
  save: SenderDecision.SAVE,
  cancel: SenderDecision.CANCEL,
} as const;

/** Who sends this, from our own page. */
function sender(request: RouteRequest<"{sid}">) {
  requireOwnOrigin(request);
  return { sessionToken: requireSessionToken(request), visitor: visitorOf(request) };
}

function endedReply({ returnUrl }: { readonly returnUrl: string }): Reply {
  return jsonReply(200, { returnUrl: textOrNull(returnUrl) });
}

/** Undefined when there is none: the one adopted before counts. */
function adoptedIn(
  adopted: Adopted | null | undefined,
  field: string,
): Pick<AdoptedSignature, "typed" | "font" | "drawnPng"> | undefined {
  if (adopted === null || adopted === undefined) return undefined;
  const { typed, font, drawnPng } = adopted;
  return { typed, font, drawnPng: bytesOf(drawnPng, `${field}.drawnPng`) };
}

function bytesOf(base64: string, field: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64(base64);
  if (bytes !== undefined) return bytes;
  throw new DomainError("VALIDATION_FAILED", {
    details: [{ field, code: "INVALID_BASE64", message: "must be Base64 (RFC 4648 §4)" }],
  });
}

/** Nobody has been sent anything by it. */
const unopenedFile: Reply = { status: 200, body: "", contentType: "application/pdf" };

const pdfReply = (content: Uint8Array, fileName: string): Reply => ({
  status: 200,
  body: content,
  contentType: "application/pdf",
  headers: { "Content-Disposition": attachment(fileName), "Content-Security-Policy": "default-src 'none'; sandbox" },
});
