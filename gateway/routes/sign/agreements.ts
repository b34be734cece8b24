import { agreementChanges, newAgreement } from "#api/agreement-bodies.ts";
import { agreementFilter } from "#api/agreement-records.ts";
import { agreement } from "#api/agreements.ts";
import type { CreateOf } from "#api/members.ts";
import type { DomainError } from "#platform/errors.ts";
import { refusedField } from "#platform/problems.ts";
import { timestampOf } from "../../../views/scalars.ts";
import { jsonReply, noContent } from "../../http/reply.ts";
import { listing, type PageQuery, pageLimit } from "../pages.ts";
import { defineRoute, documentsBody, filterQuery, onBehalfOf, queryOf, type Route } from "../route.ts";
import { required, text } from "../schema-parts.ts";
import { compositionsOf, definitionOf, requestHash } from "./agreement-input.ts";
import { admin, agreementTarget, given, read, signBase, withDocuments, write } from "./base.ts";
import { createErrors, editErrors, exampleAgreement, replacements, replayed, replayedHeader } from "./parts.ts";

export const agreementTag = "Agreements";
const base = { ...signBase, tag: agreementTag } as const;
const notFound = { id: "ENVELOPE_NOT_FOUND" } as const;

export const agreementRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "listAgreements",
    method: "GET",
    path: "/v1/sign/agreements",
    summary: "List agreements",
    description: "Newest first. Without limit, up to 1,000.",
    access: read,
    query: filterQuery(
      agreementFilter,
      queryOf<PageQuery>({
        limit: pageLimit,
        cursor: text(1, 500, "X-Next-Cursor of the previous page."),
      }),
    ),
    ...listing(
      { name: "agreements", items: agreement, description: "The agreements." },
      ({ sign }, page, options, query: PageQuery & CreateOf<typeof agreementFilter.table>) =>
        sign.listAgreements({ ...wantedOf(query), ...page, withParts: true }, options),
    ),
  }),
  defineRoute({
    ...base,
    operationId: "createAgreement",
    method: "POST",
    path: "/v1/sign/agreements",
    summary: "Create an agreement",
    description:
      "Creates a draft, in which everything is optional; or with status `sent` an agreement that is sent immediately, or not created at all if it can't be sent. The same X-Idempotency-Key with the same body returns the first agreement.",
    access: write,
    idempotencyKey: "optional",
    body: documentsBody(newAgreement, {
      multipart: true,
      example: exampleAgreement,
    }),
    success: {
      status: 201,
      description: "The agreement.",
      schema: agreement.schemas.answer,
      headers: { Location: "Where it is read: /v1/sign/agreements/{id}.", ...replayedHeader },
    },
    errors: createErrors,
    call: (request, { sign }) => {
      const { body, files, idempotencyKey, observed } = request;
      const send = body.status === "sent";
      if (typeof body.templateId === "string" && body.compositions) throw twoOrigins();
      const hash = idempotencyKey === "" ? {} : { requestHash: requestHash("createAgreement", body, files) };
      return sign.createAgreement(
        {
          definition: definitionOf(body, files),
          compositions: compositionsOf(body, files),
          send,
          idempotencyKey,
          ...hash,
          observed,
        },
        withDocuments(request),
      );
    },
    respond: ({ agreement: made, replayed: isReplayed }) => {
      const answer = agreement.answer(required(made));
      const location = { Location: `/v1/sign/agreements/${answer.id}` };
      return jsonReply(201, answer, { ...location, ...(isReplayed ? replayed : {}) });
    },
  }),
  defineRoute({
    ...base,
    operationId: "getAgreement",
    method: "GET",
    path: "/v1/sign/agreements/{id}",
    summary: "Read an agreement",
    access: read,
    besideLimit: true,
    notFound,
    success: { status: 200, description: "The agreement.", schema: agreement.schemas.answer },
    errors: [],
    call: (request, { sign }) => sign.getAgreement({ target: agreementTarget(request.params.id) }, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, agreement.answer(required(answer.agreement))),
  }),
  defineRoute({
    ...base,
    operationId: "updateAgreement",
    method: "PATCH",
    path: "/v1/sign/agreements/{id}",
    summary: "Change a draft",
    description:
      "Absent members stay as they are; lists replace the existing list. With ifModifiedAt, nothing changes unless the draft is still the one you read.",
    access: write,
    notFound,
    body: documentsBody(agreementChanges, {
      multipart: true,
      example: { emailSubject: "Please sign the NDA by Friday" },
    }),
    success: { status: 200, description: "The draft.", schema: agreement.schemas.answer },
    errors: [...editErrors, "BRAND_NOT_FOUND", "ENVELOPE_CONFLICT"],
    call: (request, { sign }) =>
      sign.updateAgreement(
        {
          target: agreementTarget(request.params.id),
          changes: definitionOf(request.body, request.files),
          ...replacements(request.body),
          ...given({ ifModifiedAt: timestampOf(request.body.ifModifiedAt) }),
          observed: request.observed,
        },
        withDocuments(request),
      ),
    respond: (answer) => jsonReply(200, agreement.answer(required(answer.agreement))),
  }),
];

export const agreementDeletionRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "deleteAgreement",
    method: "DELETE",
    path: "/v1/sign/agreements/{id}",
    summary: "Delete a draft",
    access: admin,
    notFound,
    success: { status: 204, description: "The draft and its documents were deleted." },
    errors: ["ENVELOPE_CANNOT_BE_MODIFIED", "LEGAL_HOLD"],
    call: (request, { sign }) =>
      sign.deleteAgreement(
        { target: agreementTarget(request.params.id), observed: request.observed },
        onBehalfOf(request),
      ),
    respond: () => noContent,
  }),
];

function wantedOf({ dateField = "created", ...query }: CreateOf<typeof agreementFilter.table>) {
  const hasRange = query.from !== undefined || query.to !== undefined;
  return agreementFilter.create({ ...query, ...(hasRange ? { dateField } : {}) });
}

const twoOrigins = (): DomainError =>
  refusedField("templateId", "NOT_ALLOWED", "must not be sent together with compositions");
