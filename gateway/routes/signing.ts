import {
  type Adopted,
  adopted,
  attached,
  ceremony,
  ceremonyOf,
  codeAnswer,
  codeOutcome,
  codeSent,
  codeWanted,
  consented,
  consentGiven,
  decision,
  declining,
  ended,
  fileToAttach,
  finish,
  leave,
  progress,
} from "#api/ceremony.ts";
import type { FinishSigningResponse } from "#gen/assent/sign/v1/signing_pb.ts";
import type { ErrorCode } from "#platform/errors.ts";
import { refusedField } from "#platform/problems.ts";
import { reportUrlOf } from "#platform/service-settings.ts";
import { decodeBase64 } from "../document-bodies/read-documents.ts";
import { standardDialect } from "../http/error-dialect.ts";
import { attachment } from "../http/file-reply.ts";
import { jsonReply, type Reply } from "../http/reply.ts";
import { requireOwnOrigin, requireSessionToken, visitorOf } from "../signing/session.ts";
import { createBody, defineRoute, type Route, type RouteRequest } from "./route.ts";
import { fileErrors } from "./sign/base.ts";
import * as schemas from "./signing-page.ts";
import { signingPageRoutes } from "./signing-page.ts";

const base = {
  tag: schemas.signingTag,
  access: "public",
  dialect: standardDialect,
  texts: { sid: schemas.sessionParam },
} as const;
const read = { ...base, method: "GET", errorPages: true } as const;
const write = { ...base, method: "POST" } as const;
const turnErrors = [
  "VIEW_URL_EXPIRED",
  "INVALID_ENVELOPE_STATUS",
  "RECIPIENT_ALREADY_SIGNED",
  "RECIPIENT_NOT_IN_SEQUENCE",
  "ENVELOPE_LOCKED",
  "VERIFICATION_REQUIRED",
] as const satisfies readonly ErrorCode[];
const checkErrors = [
  "VIEW_URL_EXPIRED",
  "RECIPIENT_NOT_IN_SEQUENCE",
  "ENVELOPE_LOCKED",
  "VERIFICATION_LOCKED",
] as const;
const endedAnswer = { status: 200, description: "Where to go next.", schema: ended.schemas.answer } as const;
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
    summary: "Read the content of a session",
    description:
      "The agreement as the person sees it, with their own tabs, and the consent texts while consent is required.",
    success: { status: 200, description: "The ceremony.", schema: ceremony.schemas.answer },
    errors: ["VIEW_URL_EXPIRED", "RECIPIENT_NOT_IN_SEQUENCE", "ENVELOPE_LOCKED"],
    call: (request, { signing }) => signing.getCeremony({ sessionToken: requireSessionToken(request) }),
    respond: (answer, _request, { abuseContact }) =>
      jsonReply(200, ceremonyOf(answer, reportUrlOf(abuseContact, answer.agreement?.id))),
  }),
  defineRoute({
    ...read,
    operationId: "getCeremonyDocument",
    path: "/signing/s/{sid}/documents/{documentId}",
    summary: "Load a document of a session",
    description:
      "The first load in a session counts as opening the agreement, because the service observes it itself. Following the link doesn't count, because mail scanners do that too, and neither does consenting. HEAD opens nothing. Once the agreement is completed, `certificate` is its certificate of completion.",
    texts: { ...base.texts, documentId: schemas.documentParam },
    success: { status: 200, description: "The PDF.", contentType: "application/pdf" },
    errors: [
      "VIEW_URL_EXPIRED",
      "RECIPIENT_NOT_IN_SEQUENCE",
      "ENVELOPE_LOCKED",
      "VERIFICATION_REQUIRED",
      ...fileErrors,
    ],
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
    operationId: "sendVerificationCode",
    path: "/signing/s/{sid}/verification/code",
    summary: "Email a code to the person",
    description:
      "For checks in `verification` of the ceremony with the method email_code. The code works for 10 minutes, in this session only, and only the newest one does. The response says when another one can be sent: after 30 seconds, and at most five in an hour.",
    body: createBody(codeWanted, { example: { method: "email_code" } }),
    success: { status: 200, description: "Whether a code was sent.", schema: codeSent.schemas.answer },
    errors: checkErrors,
    call: (request, { signing }) =>
      signing.sendVerificationCode({ ...codeWanted.create(request.body), ...sender(request) }),
    respond: (answer) => jsonReply(200, codeSent.answer(answer)),
  }),
  defineRoute({
    ...write,
    operationId: "answerVerification",
    path: "/signing/s/{sid}/verification",
    summary: "Prove who the person is",
    description:
      "Answers a check in `verification` of the ceremony. What is proved holds for this session, for four hours at most. The fifth wrong answer locks the check until the sender unlocks it.",
    body: createBody(codeAnswer, { example: { method: "email_code", code: "123456" } }),
    success: { status: 200, description: "What became of it.", schema: codeOutcome.schemas.answer },
    errors: checkErrors,
    call: (request, { signing }) =>
      signing.answerVerification({ ...codeAnswer.create(request.body), ...sender(request) }),
    respond: (answer) => jsonReply(200, codeOutcome.answer(answer)),
  }),
  defineRoute({
    ...write,
    operationId: "giveSigningConsent",
    path: "/signing/s/{sid}/consent",
    summary: "Record the consent to electronic records",
    description:
      "Consents to one of the texts in `consent.texts` of the ceremony. Any other hash, or the locale of another text, is 400 and records nothing. The text is kept; `GET /v1/sign/agreements/{id}/consent-texts` returns it.",
    body: createBody(consentGiven, {
      example: { textSha256: "0123456789abcdef".repeat(4), locale: "en" },
    }),
    success: { status: 200, description: "When the consent was given.", schema: consented.schemas.answer },
    errors: turnErrors,
    call: (request, { signing }) => signing.giveConsent({ ...consentGiven.create(request.body), ...sender(request) }),
    respond: (answer) => jsonReply(200, consented.answer(answer)),
  }),
  defineRoute({
    ...write,
    operationId: "addSigningAttachment",
    path: "/signing/s/{sid}/attachments",
    summary: "Attach a file to a tab",
    description: "The response is the value to send for the tab when the person finishes.",
    body: createBody(fileToAttach, {
      maxBytes: schemas.maxAttachmentBytes,
      example: { tabId: sampleTab, fileName: "passport.pdf", contentBase64: "JVBERi0xLjc=" },
    }),
    success: { status: 200, description: "The file was stored.", schema: attached.schemas.answer },
    errors: [...turnErrors, "TAB_NOT_FOUND"],
    call: (request, { signing }) => {
      const content = bytesOf(request.body.contentBase64, "contentBase64");
      return signing.addAttachment({ ...fileToAttach.create(request.body), ...sender(request), content }, patiently);
    },
    respond: (answer) => jsonReply(200, attached.answer(answer)),
  }),
  defineRoute({
    ...write,
    operationId: "finishSigning",
    path: "/signing/s/{sid}/finish",
    summary: "Sign",
    description:
      "All values are checked first; problems name the tabs. Values you leave out are taken from `progress`. Ends the session.",
    body: createBody(finish, {
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
      const { signature, initials } = request.body;
      const drawn = { signature: adoptedIn(signature, "signature"), initials: adoptedIn(initials, "initials") };
      return signing.finishSigning({ ...finish.create(request.body), ...sender(request), ...drawn }, patiently);
    },
    respond: endedReply,
  }),
  defineRoute({
    ...write,
    operationId: "declineSigning",
    path: "/signing/s/{sid}/decline",
    summary: "Decline to sign",
    description: "Declining ends the agreement for everyone.",
    body: createBody(declining, { example: { reason: "The price is wrong." } }),
    success: endedAnswer,
    errors: turnErrors,
    call: (request, { signing }) => signing.declineSigning({ ...declining.create(request.body), ...sender(request) }),
    respond: endedReply,
  }),
  defineRoute({
    ...write,
    operationId: "saveSigningProgress",
    path: "/signing/s/{sid}/progress",
    summary: "Save what was entered so far",
    description:
      "Saves changed fields, and the signature once it is adopted. `getCeremony` returns them in every session of the person until they finish. The last write to each field wins. They are stored encrypted, and deleted when the person has finished or the agreement has ended.",
    body: createBody(progress, {
      maxBytes: schemas.maxFinishBytes,
      example: { values: [{ tabId: sampleTab, value: "Example GmbH" }], place: sampleTab },
    }),
    success: { status: 204, description: "The values were saved." },
    errors: turnErrors,
    call: (request, { signing }) => {
      const { signature, initials } = request.body;
      const drawn = { signature: adoptedIn(signature, "signature"), initials: adoptedIn(initials, "initials") };
      return signing.saveSigningProgress({ ...progress.create(request.body), ...sender(request), ...drawn });
    },
    respond: () => ({ status: 204, body: undefined }),
  }),
  defineRoute({
    ...write,
    operationId: "leaveSigning",
    path: "/signing/s/{sid}/leave",
    summary: "Finish later",
    description: "Saves the values you send and ends the session. What `progress` has saved stays.",
    body: createBody(leave, {
      maxBytes: schemas.maxFinishBytes,
      example: { values: [{ tabId: sampleTab, value: "Example GmbH" }] },
    }),
    success: endedAnswer,
    errors: turnErrors,
    call: (request, { signing }) => signing.leaveSigning({ ...leave.create(request.body), ...sender(request) }),
    respond: endedReply,
  }),
  defineRoute({
    ...write,
    operationId: "decideSending",
    path: "/signing/s/{sid}/decision",
    summary: "Send or save a draft",
    description: "For a sender's page. Ends the session.",
    body: createBody(decision, {
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
      ...fileErrors,
    ],
    call: (request, { signing }) =>
      signing.endSenderView({ ...decision.create(request.body), ...sender(request) }, patiently),
    respond: endedReply,
  }),
];

/** Who sends this, from our own page. */
function sender(request: RouteRequest<"{sid}">) {
  requireOwnOrigin(request);
  return { sessionToken: requireSessionToken(request), visitor: visitorOf(request) };
}

/** All that end a session answer alike. */
function endedReply({ returnUrl }: Pick<FinishSigningResponse, "returnUrl">): Reply {
  return jsonReply(200, { returnUrl: returnUrl === "" ? null : returnUrl });
}

/** Undefined when there is none: the one adopted before counts. */
const adoptedIn = (body: Adopted | null | undefined, field: string) =>
  body ? { ...adopted.create(body), drawnPng: bytesOf(body.drawnPng, `${field}.drawnPng`) } : undefined;

function bytesOf(base64: string, field: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64(base64);
  if (bytes !== undefined) return bytes;
  throw refusedField(field, "INVALID_BASE64", "must be Base64 (RFC 4648 §4)");
}

/** Nobody has been sent anything by it. */
const unopenedFile: Reply = { status: 200, body: "", contentType: "application/pdf" };

const pdfReply = (content: Uint8Array, fileName: string): Reply => ({
  status: 200,
  body: content,
  contentType: "application/pdf",
  headers: { "Content-Disposition": attachment(fileName), "Content-Security-Policy": "default-src 'none'; sandbox" },
});
