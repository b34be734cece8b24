import { envelopeSummary, envelopeView, includedIn } from "../../../views/compat/envelope.ts";
import { jsonReply } from "../../http/reply.ts";
import { requireScope } from "../../routes/require-scope.ts";
import { required } from "../../routes/required.ts";
import { documentBody, onBehalfOf, type Route } from "../../routes/route.ts";
import { fileErrors } from "../../routes/sign/base.ts";
import { readCreate } from "../read/create.ts";
import { readWith } from "../read/reader.ts";
import { requestHash } from "../read/refuse.ts";
import { compatQuery, defineCompatRoute } from "../route.ts";
import { envelopeTarget } from "../target.ts";
import { readChange, updateEnvelope } from "../update-envelope.ts";
import { uploadTimeoutMs } from "./documents.ts";
import { createEnvelopeExample, createEnvelopeSchema, updateEnvelopeSchema } from "./envelope-definition.ts";
import { envelopeSchema, summarySchema, updateSummarySchema } from "./envelope-schemas.ts";

const tag = "Compatible envelopes";

const replayed = { "Idempotent-Replayed": "true" } as const;
const replayedHeader = { "Idempotent-Replayed": "true when nothing new was made or sent." } as const;

/** The errors of sending. */
const sendErrors = [
  "INVALID_ENVELOPE_STATUS",
  "DOCUMENTS_REQUIRED",
  "RECIPIENTS_REQUIRED",
  "ANCHOR_TAB_STRING_NOT_FOUND",
  "IDEMPOTENCY_KEY_REUSED",
  ...fileErrors,
] as const;

const contentErrors = [
  "INVALID_BASE64",
  "INVALID_DOCUMENT_FORMAT",
  "DOCUMENT_TOO_LARGE",
  "CORRUPTED_DOCUMENT",
  "INVALID_EMAIL",
  "DUPLICATE_RECIPIENT",
] as const;

export const compatEnvelopeRoutes: readonly Route[] = [
  defineCompatRoute({
    tag,
    operationId: "compatCreateEnvelope",
    method: "POST",
    path: "/envelopes",
    summary: "Create an envelope",
    description:
      "As a draft, or sent at once with the status sent. Made of its own documents and recipients, from a template with templateRoles, or from compositeTemplates. Documents come as Base64 in the JSON, or as parts of multipart/form-data. What would silently lose its meaning is refused: access codes, identity checks, formulas, kinds of recipients and tabs that there are not here.",
    scopes: ["sign:write"],
    idempotencyKey: "optional",
    query: compatQuery({
      merge_roles_on_draft: "Has no effect: roles that nobody fills are dropped when it is sent.",
      cdse_mode: "Has no effect.",
    }),
    body: documentBody<object>({
      schema: createEnvelopeSchema,
      required: false,
      example: createEnvelopeExample,
      lineBreaks: true,
      multipart: true,
    }),
    success: { status: 201, description: "The envelope.", schema: summarySchema, headers: replayedHeader },
    errors: ["TEMPLATE_NOT_FOUND", ...contentErrors, ...sendErrors],
    call: (request, { sign, receiverRules }) => {
      const { body, files, idempotencyKey, observed } = request;
      const init = readWith(body, (reader) => readCreate(reader, { files, receiverRules }));
      const key =
        idempotencyKey === "" ? {} : { idempotencyKey, requestHash: requestHash("createEnvelope", body, files) };
      const options = { ...onBehalfOf(request), timeoutMs: uploadTimeoutMs };
      return sign.createAgreement({ ...init, ...key, observed }, options);
    },
    respond: ({ agreement, replayed: isReplayed }) =>
      jsonReply(201, envelopeSummary(required(agreement)), isReplayed ? replayed : {}),
  }),
  defineCompatRoute({
    tag,
    operationId: "compatGetEnvelope",
    method: "GET",
    path: "/envelopes/{envelopeId}",
    summary: "Read an envelope",
    scopes: ["sign:read"],
    query: compatQuery({ include: "custom_fields, documents, recipients, tabs, notification: parts to answer too." }),
    success: { status: 200, description: "The envelope.", schema: envelopeSchema },
    errors: [],
    call: (request, { sign }) =>
      sign.getAgreement({ target: envelopeTarget(request.params.envelopeId) }, onBehalfOf(request)),
    respond: ({ agreement }, { query }) => jsonReply(200, envelopeView(required(agreement), includedIn(query.include))),
  }),
  defineCompatRoute({
    tag,
    operationId: "compatUpdateEnvelope",
    method: "PUT",
    path: "/envelopes/{envelopeId}",
    summary: "Change, send, void or resend an envelope",
    description:
      "Sending a draft and asking its recipients again need the scope `sign:send` or `sign:write`, voiding, deleting and purging `sign:admin`, other changes `sign:write`. Only drafts can be changed: documents, recipients and custom fields that are given take the place of all there are. With a purgeState, the documents of an envelope that has ended are deleted in 14 days, until when documents_dequeued takes that back; documents_and_metadata_queued deletes tabs, custom fields and texts as well. The envelope itself and its audit trail stay, and a legal hold keeps everything.",
    scopes: ["sign:write", "sign:send", "sign:admin"],
    idempotencyKey: "optional",
    query: compatQuery({
      resend_envelope: "true: ask the recipients again whose turn it is; the body may be empty.",
      recycle_on_void: "Has no effect.",
    }),
    body: documentBody<object>({
      schema: updateEnvelopeSchema,
      required: false,
      example: { emailSubject: "Please sign the NDA today" },
      lineBreaks: true,
    }),
    success: { status: 200, description: "It is done.", schema: updateSummarySchema, headers: replayedHeader },
    errors: ["ENVELOPE_CANNOT_BE_MODIFIED", "ENVELOPE_ALREADY_SENT", "LEGAL_HOLD", ...contentErrors, ...sendErrors],
    call: async (request, services) => {
      const change = readChange(request, services);
      if (change.scopes !== undefined) requireScope(request, change.scopes);
      return await updateEnvelope(change, request, services);
    },
    respond: (isReplayed, { params }) => jsonReply(200, { envelopeId: params.envelopeId }, isReplayed ? replayed : {}),
  }),
];
