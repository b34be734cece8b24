import { agreementLock, lockChange, newLock } from "#api/agreement-records.ts";
import { jsonReply } from "../../http/reply.ts";
import { createBody, defineRoute, onBehalfOf, type Route } from "../route.ts";
import { required } from "../schema-parts.ts";
import { read, signBase, write } from "./base.ts";

const base = {
  ...signBase,
  tag: "Agreement locks",
  path: "/v1/sign/agreements/{id}/lock",
  notFound: { id: "ENVELOPE_NOT_FOUND" },
} as const;
const success = { status: 200, description: "The lock.", schema: agreementLock.schemas.answer } as const;

/** While a sender prepares a change, nobody signs, and nobody else changes anything. */
export const lockRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "lockAgreement",
    method: "POST",
    summary: "Lock an agreement",
    description:
      "Locks a draft or a sent agreement while you prepare a change. Until the lock ends, no one can open or sign it, and only requests with the token in X-Lock-Token change it. Reminders, expiration and emails go on. Responds 409 if it's already locked.",
    access: write,
    body: createBody(newLock, { required: false, example: { durationSeconds: 300, app: "Contract desk" } }),
    success: { ...success, status: 201 },
    errors: ["ENVELOPE_LOCKED", "INVALID_ENVELOPE_STATUS"],
    call: (request, { sign }) =>
      sign.lockAgreement(
        { ...newLock.create(request.body), agreementId: request.params.id, observed: request.observed },
        onBehalfOf(request),
      ),
    respond: ({ lock }) => jsonReply(201, agreementLock.answer(required(lock))),
  }),
  defineRoute({
    ...base,
    operationId: "getAgreementLock",
    method: "GET",
    summary: "Get the lock of an agreement",
    description: "Whoever created the lock also gets its token, for example after a lost response.",
    access: read,
    success,
    errors: ["ENVELOPE_NOT_LOCKED"],
    call: (request, { sign }) => sign.getAgreementLock({ agreementId: request.params.id }, onBehalfOf(request)),
    respond: ({ lock }) => jsonReply(200, agreementLock.answer(required(lock))),
  }),
  defineRoute({
    ...base,
    operationId: "extendAgreementLock",
    method: "PUT",
    summary: "Extend the lock of an agreement",
    description:
      "The time counts from now. Absent members stay. Only the credential that created the lock can do this without the token in X-Lock-Token.",
    access: write,
    body: createBody(lockChange, { required: false, example: { durationSeconds: 600 } }),
    success,
    errors: ["ENVELOPE_NOT_LOCKED"],
    call: (request, { sign }) =>
      sign.extendAgreementLock(
        { ...lockChange.create(request.body), agreementId: request.params.id, observed: request.observed },
        onBehalfOf(request),
      ),
    respond: ({ lock }) => jsonReply(200, agreementLock.answer(required(lock))),
  }),
  defineRoute({
    ...base,
    operationId: "unlockAgreement",
    method: "DELETE",
    summary: "Unlock an agreement",
    description: "Only the credential that created the lock can do this without the token in X-Lock-Token.",
    access: write,
    success: { status: 204, description: "The lock has ended." },
    errors: ["ENVELOPE_NOT_LOCKED"],
    call: (request, { sign }) =>
      sign.unlockAgreement({ agreementId: request.params.id, observed: request.observed }, onBehalfOf(request)),
    respond: () => ({ status: 204, body: undefined }),
  }),
];
