import {
  fromGroups,
  inGroups,
  type RecipientsBody,
  recipient,
  recipientChanges,
  recipientsInputSchema,
  recipientsSchema,
  unlocking,
} from "#api/agreements.ts";
import type { Agreement, Recipient } from "#gen/assent/sign/v1/agreement_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { refusedField } from "#platform/problems.ts";
import { jsonReply, noContent } from "../../http/reply.ts";
import { createBody, defineRoute, jsonBody, onBehalfOf, type Route } from "../route.ts";
import { required } from "../schema-parts.ts";
import { agreementTarget, read, signBase, write } from "./base.ts";
import { exampleAgreement, recipientEditErrors, recipientIdParam } from "./parts.ts";

const base = { ...signBase, tag: "Recipients", notFound: { id: "ENVELOPE_NOT_FOUND" } } as const;
const all = "/v1/sign/agreements/{id}/recipients";
const one = `${all}/{recipientId}` as const;
const texts = { recipientId: recipientIdParam } as const;
/** Tabs are many: 50 recipients with 100 each. */
const recipientBodyBytes = 1024 * 1024;

const recipientsBody = jsonBody<RecipientsBody>({
  schema: recipientsInputSchema,
  maxBytes: recipientBodyBytes,
  example: exampleAgreement.recipients,
});

const viewOf = ({ agreement }: { readonly agreement?: Agreement | undefined }) =>
  inGroups(required(agreement).recipients);

export const recipientRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "listRecipients",
    method: "GET",
    path: all,
    summary: "List the recipients",
    access: read,
    success: { status: 200, description: "The recipients, with their tabs.", schema: recipientsSchema },
    errors: [],
    call: (request, { sign }) => sign.getAgreement({ target: agreementTarget(request.params.id) }, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, viewOf(answer)),
  }),
  defineRoute({
    ...base,
    operationId: "addRecipients",
    method: "POST",
    path: all,
    summary: "Add recipients to a draft",
    access: write,
    body: recipientsBody,
    success: { status: 201, description: "All recipients.", schema: recipientsSchema },
    errors: recipientEditErrors,
    call: (request, { sign }) =>
      sign.putRecipients(
        {
          target: agreementTarget(request.params.id),
          recipients: someOf(request.body),
          changeExisting: false,
          observed: request.observed,
        },
        onBehalfOf(request),
      ),
    respond: (answer) => jsonReply(201, viewOf(answer)),
  }),
  defineRoute({
    ...base,
    operationId: "putRecipients",
    method: "PUT",
    path: all,
    summary: "Change recipients of a draft, or add them",
    description: "Recipients whose recipientId exists are changed and keep absent members; others are added.",
    access: write,
    body: recipientsBody,
    success: { status: 200, description: "All recipients.", schema: recipientsSchema },
    errors: recipientEditErrors,
    call: (request, { sign }) =>
      sign.putRecipients(
        {
          target: agreementTarget(request.params.id),
          recipients: someOf(request.body),
          changeExisting: true,
          observed: request.observed,
        },
        onBehalfOf(request),
      ),
    respond: (answer) => jsonReply(200, viewOf(answer)),
  }),
  defineRoute({
    ...base,
    operationId: "getRecipient",
    method: "GET",
    path: one,
    texts,
    summary: "Read a recipient",
    access: read,
    success: { status: 200, description: "The recipient.", schema: recipient.schemas.answer },
    errors: [],
    call: async ({ params, ...request }, { sign }) => {
      const { agreement } = await sign.getAgreement({ target: agreementTarget(params.id) }, onBehalfOf(request));
      return recipientIn(agreement, params.recipientId);
    },
    respond: (one) => jsonReply(200, recipient.answer(one)),
  }),
  defineRoute({
    ...base,
    operationId: "updateRecipient",
    method: "PUT",
    path: one,
    texts,
    summary: "Change a recipient of a draft",
    description: "Absent members stay as they are. Tabs that you send replace the existing tabs.",
    access: write,
    body: createBody(recipientChanges, {
      maxBytes: recipientBodyBytes,
      example: { email: "ann.example@example.com", routingOrder: 2 },
    }),
    success: { status: 200, description: "The recipient.", schema: recipient.schemas.answer },
    errors: recipientEditErrors,
    call: async ({ params, body, observed, ...request }, { sign }) => {
      const target = agreementTarget(params.id);
      const { agreement: before } = await sign.getAgreement({ target }, onBehalfOf(request));
      const { recipientId } = recipientIn(before, params.recipientId);
      const recipients = [{ ...recipientChanges.create(body), recipientId }];
      const wanted = { target, recipients, changeExisting: true, observed };
      const { agreement } = await sign.putRecipients(wanted, onBehalfOf(request));
      return recipientIn(agreement, recipientId);
    },
    respond: (one) => jsonReply(200, recipient.answer(one)),
  }),
  defineRoute({
    ...base,
    operationId: "unlockRecipient",
    method: "POST",
    path: `${one}/unlock`,
    texts,
    summary: "Unlock the verification of a recipient",
    description:
      "Allows five more tries after a check was locked. With accessCode, the person needs the new code, even where the previous one was entered already. A recipient who has finished keeps their code.",
    access: write,
    body: createBody(unlocking, { example: { accessCode: "Lighthouse 43" } }),
    success: { status: 200, description: "The recipient.", schema: recipient.schemas.answer },
    errors: ["RECIPIENT_ALREADY_SIGNED"],
    call: async ({ params, body, observed, ...request }, { sign }) => {
      const { id: agreementId, recipientId } = params;
      const wanted = { ...unlocking.create(body), agreementId, recipientId, observed };
      const { agreement } = await sign.unlockVerification(wanted, onBehalfOf(request));
      return recipientIn(agreement, recipientId);
    },
    respond: (one) => jsonReply(200, recipient.answer(one)),
  }),
  defineRoute({
    ...base,
    operationId: "removeRecipient",
    method: "DELETE",
    path: one,
    texts,
    summary: "Remove a recipient of a draft",
    access: write,
    success: { status: 204, description: "The recipient and their tabs were deleted." },
    errors: ["RECIPIENT_ALREADY_SIGNED", "ENVELOPE_CANNOT_BE_MODIFIED"],
    call: ({ params, observed, ...request }, { sign }) =>
      sign.removeRecipients(
        { target: agreementTarget(params.id), recipientIds: [params.recipientId], observed },
        onBehalfOf(request),
      ),
    respond: () => noContent,
  }),
  defineRoute({
    ...base,
    operationId: "removeRecipients",
    method: "DELETE",
    path: all,
    summary: "Remove all recipients of a draft",
    access: write,
    success: { status: 204, description: "All recipients and their tabs were deleted." },
    errors: ["RECIPIENT_ALREADY_SIGNED", "ENVELOPE_CANNOT_BE_MODIFIED"],
    call: (request, { sign }) =>
      sign.updateAgreement(
        {
          target: agreementTarget(request.params.id),
          changes: { recipients: [] },
          replaceRecipients: true,
          observed: request.observed,
        },
        onBehalfOf(request),
      ),
    respond: () => noContent,
  }),
];

function recipientIn(agreement: Agreement | undefined, id: string): Recipient {
  const found = required(agreement).recipients.find((one) => one.recipientId === id || one.id === id.toLowerCase());
  if (found === undefined) throw new DomainError("RECIPIENT_NOT_FOUND");
  return found;
}

function someOf(body: RecipientsBody): ReturnType<typeof fromGroups> {
  const recipients = fromGroups(body);
  if (recipients.length > 0) return recipients;
  throw refusedField("signers", "REQUIRED", "or another list of recipients must have one");
}
