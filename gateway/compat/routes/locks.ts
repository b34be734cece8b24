import type { AgreementLock } from "#gen/assent/sign/v1/sign_pb.ts";
import { compatTime } from "../../../views/compat/scalars.ts";
import { jsonReply } from "../../http/reply.ts";
import { jsonBody, onBehalfOf, type Route } from "../../routes/route.ts";
import { required } from "../../routes/schema-parts.ts";
import { type Reader, readWith } from "../read/reader.ts";
import { defineCompatRoute } from "../route.ts";
import { looseBody, textsAnswer } from "../schema-parts.ts";

const base = { tag: "Compatible envelopes", path: "/envelopes/{envelopeId}/lock" } as const;
const write = { ...base, scopes: ["sign:write"] } as const;
/** DocuSign takes no more either. */
const maxSeconds = 1_800;

const body = jsonBody<object>({
  schema: looseBody({
    lockDurationInSeconds: "From 1; more than 1800 is 1800. Default: 300.",
    lockedByApp: "What your application calls itself, at most 100 characters.",
    lockType: "edit.",
  }),
  required: false,
  example: { lockDurationInSeconds: "300", lockedByApp: "Contract desk", lockType: "edit" },
});

const schema = textsAnswer({
  ...{ lockDurationInSeconds: "300", lockedByApp: "Contract desk", lockType: "edit" },
  lockedUntilDateTime: "2026-11-24T09:05:00.0000000Z",
  lockToken: "01961234-5678-7abc-8def-0123456789ab",
});
const success = { status: 200, description: "The lock.", schema } as const;

/** Locks of envelopes: while one is being changed, nobody signs it. */
export const compatLockRoutes: readonly Route[] = [
  defineCompatRoute({
    ...write,
    operationId: "compatCreateLock",
    method: "POST",
    summary: "Lock an envelope",
    description:
      "Until the lock ends, no one can sign the envelope, and only requests with the token in X-DocuSign-Edit change it. Envelopes that were sent can be locked where corrections are turned on.",
    body,
    success: { ...success, status: 201 },
    errors: ["ENVELOPE_CANNOT_BE_MODIFIED", "INVALID_ENVELOPE_STATUS", "ENVELOPE_LOCKED"],
    call: (request, { sign }) => {
      const { durationSeconds, app = "" } = readWith(request.body, lockOf);
      const agreementId = request.params.envelopeId;
      const asked = { agreementId, app, ifTurnedOn: true, observed: request.observed };
      return sign.lockAgreement({ ...asked, ...(durationSeconds && { durationSeconds }) }, onBehalfOf(request));
    },
    respond: ({ lock }) => jsonReply(201, lockView(required(lock))),
  }),
  defineCompatRoute({
    ...base,
    scopes: ["sign:read"],
    operationId: "compatGetLock",
    method: "GET",
    summary: "Read the lock of an envelope",
    success,
    errors: ["ENVELOPE_NOT_LOCKED"],
    call: (request, { sign }) => sign.getAgreementLock({ agreementId: request.params.envelopeId }, onBehalfOf(request)),
    respond: ({ lock }) => jsonReply(200, lockView(required(lock))),
  }),
  defineCompatRoute({
    ...write,
    operationId: "compatUpdateLock",
    method: "PUT",
    summary: "Extend the lock of an envelope",
    description:
      "The time counts from now. Needs the token in X-DocuSign-Edit, except from the client that created the lock.",
    body,
    success,
    errors: ["ENVELOPE_NOT_LOCKED"],
    call: (request, { sign }) => {
      const agreementId = request.params.envelopeId;
      const change = readWith(request.body, lockOf);
      return sign.extendAgreementLock({ agreementId, ...change, observed: request.observed }, onBehalfOf(request));
    },
    respond: ({ lock }) => jsonReply(200, lockView(required(lock))),
  }),
  defineCompatRoute({
    ...write,
    operationId: "compatDeleteLock",
    method: "DELETE",
    summary: "Unlock an envelope",
    description: "Needs the token in X-DocuSign-Edit, except from the client that created the lock.",
    success,
    errors: ["ENVELOPE_NOT_LOCKED"],
    call: (request, { sign }) =>
      sign.unlockAgreement({ agreementId: request.params.envelopeId, observed: request.observed }, onBehalfOf(request)),
    respond: ({ lock }) => jsonReply(200, lockView(required(lock))),
  }),
];

function lockOf(body: Reader) {
  const type = body.text("lockType")?.trim().toLowerCase() ?? "";
  if (type !== "" && type !== "edit") body.problem("lockType", "NOT_SUPPORTED", "must be edit");
  const seconds = body.integer("lockDurationInSeconds", { min: 1 });
  const app = body.text("lockedByApp");
  if (app !== undefined && app.length > maxApp)
    body.problem("lockedByApp", "TOO_LONG", `must have at most ${maxApp} characters`);
  return {
    ...(seconds === undefined ? {} : { durationSeconds: Math.min(seconds, maxSeconds) }),
    ...(app === undefined ? {} : { app }),
  };
}

const maxApp = 100;

const lockView = ({ token, durationSeconds, lockedUntil, app }: AgreementLock) => ({
  ...{ lockDurationInSeconds: String(durationSeconds), lockedByApp: app, lockType: "edit" },
  lockedUntilDateTime: compatTime(lockedUntil),
  ...(token === "" ? {} : { lockToken: token }),
});
