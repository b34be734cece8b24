import type { MessageInitShape } from "@bufbuild/protobuf";
import { readCustomFields } from "#api/compat-records.ts";
import type { CompositionSchema, LayerSchema } from "#gen/assent/sign/v1/sign_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { defined } from "#platform/json-object.ts";
import { envelopeSummary, envelopeView, includedIn } from "../../../views/compat/envelope.ts";
import type { DocumentFile } from "../../document-bodies/document-file.ts";
import { jsonReply } from "../../http/reply.ts";
import { requireScope } from "../../routes/require-scope.ts";
import { documentBody, onBehalfOf, type Route } from "../../routes/route.ts";
import { required } from "../../routes/schema-parts.ts";
import { fileErrors } from "../../routes/sign/base.ts";
import {
  type DefinitionContext,
  type DefinitionInit,
  readDefinition,
  readDocument,
  readDocuments,
} from "../read/definition.ts";
import { type Reader, readWith } from "../read/reader.ts";
import { readRecipients, readRole } from "../read/recipients.ts";
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
  "UPLOAD_NOT_FOUND",
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
      "As a draft, or sent immediately with the status sent. It consists of its own documents and recipients, or is made from a template with templateRoles or from compositeTemplates. Documents are Base64 in the JSON, or parts of multipart/form-data. Anything that would silently lose its meaning is refused: access codes, identity checks, formulas, and unsupported types of recipients and tabs.",
    scopes: ["sign:write"],
    idempotencyKey: "optional",
    query: compatQuery({
      merge_roles_on_draft: "No effect: roles that no one fills are dropped on sending.",
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
    errors: ["TEMPLATE_NOT_FOUND", "BRAND_NOT_FOUND", ...contentErrors, ...sendErrors],
    call: (request, { sign, receiverRules }) => {
      const { body, files, idempotencyKey, observed } = request;
      const init = readWith(body, (reader) => readCreate(reader, { files, receiverRules }));
      const key =
        idempotencyKey === "" ? {} : { idempotencyKey, requestHash: requestHash("createEnvelope", body, files) };
      const options = { ...onBehalfOf(request), timeoutMs: uploadTimeoutMs };
      return sign.createAgreement({ ...init, ...key, observed }, options);
    },
    respond: ({ agreement, replayed: isReplayed }) =>
      jsonReply(201, envelopeSummary.write(required(agreement)), isReplayed ? replayed : {}),
  }),
  defineCompatRoute({
    tag,
    operationId: "compatGetEnvelope",
    method: "GET",
    path: "/envelopes/{envelopeId}",
    summary: "Read an envelope",
    scopes: ["sign:read"],
    query: compatQuery({
      include: "custom_fields, documents, recipients, tabs, notification, workflow: parts to answer too.",
    }),
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
      "Sending a draft and resending need the scope `sign:send` or `sign:write`; voiding, deleting and purging need `sign:admin`; other changes need `sign:write`. You can change only drafts: documents, recipients and custom fields that you send replace all existing ones. With a purgeState, the documents of an envelope that has ended are deleted in 14 days; until then documents_dequeued takes that back. documents_and_metadata_queued deletes tabs, custom fields and texts as well. The envelope itself and its audit trail stay, and a legal hold keeps everything.",
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
    success: { status: 200, description: "The change was made.", schema: updateSummarySchema, headers: replayedHeader },
    errors: [
      "ENVELOPE_CANNOT_BE_MODIFIED",
      "ENVELOPE_ALREADY_SENT",
      "LEGAL_HOLD",
      "BRAND_NOT_FOUND",
      ...contentErrors,
      ...sendErrors,
    ],
    call: async (request, services) => {
      const change = readChange(request, services);
      if (change.scopes !== undefined) requireScope(request, change.scopes);
      return await updateEnvelope(change, request, services);
    },
    respond: (isReplayed, { params }) => jsonReply(200, { envelopeId: params.envelopeId }, isReplayed ? replayed : {}),
  }),
];

type CompositionInit = MessageInitShape<typeof CompositionSchema>;
type LayerInit = MessageInitShape<typeof LayerSchema>;

export interface CreateInit {
  readonly definition: DefinitionInit;
  readonly compositions: CompositionInit[];
  readonly send: boolean;
}

/** An `EnvelopeDefinition`: with documents of its own, from a template with roles, or from composite templates. */
const readCreate = (body: Reader, context: DefinitionContext): CreateInit => ({
  send: readSend(body),
  definition: readDefinition(body, context),
  compositions: [
    ...templateOf(body),
    ...body.objects("compositeTemplates").map((composite) => readComposite(composite, context.files)),
  ],
});

/** Whether it is sent at once. Throws INVALID_ENVELOPE_STATUS for a status that no envelope can start with. */
function readSend(body: Reader): boolean {
  const status = body.text("status")?.trim().toLowerCase() ?? "";
  if (status === "sent") return true;
  if (status === "" || status === "created") return false;
  throw new DomainError("INVALID_ENVELOPE_STATUS", { message: "A new envelope must have the status created or sent." });
}

function templateOf(body: Reader): CompositionInit[] {
  const roles = body.objects("templateRoles").map(readRole);
  const templateId = body.text("templateId") ?? "";
  if (templateId !== "") return [{ layers: [templateLayer(templateId), ...definitionLayer({ recipients: roles })] }];
  if (roles.length > 0) body.problem("templateId", "REQUIRED", "is required when there are templateRoles");
  return [];
}

function readComposite(composite: Reader, files: readonly DocumentFile[]): CompositionInit {
  const servers = composite.objects("serverTemplates").map((server) => ({
    sequence: sequenceOf(server),
    layers: [templateLayer(server.text("templateId") ?? "")],
  }));
  const inlines = composite.objects("inlineTemplates").map((inline) => ({
    sequence: sequenceOf(inline),
    layers: definitionLayer(readInline(inline, files)),
  }));
  const document = composite.object("document");
  return defined({
    layers: [...servers, ...inlines].sort((a, b) => a.sequence - b.sequence).flatMap(({ layers }) => layers),
    document: document === undefined ? undefined : readDocument(document, files),
  });
}

/** Templates without a sequence come last, in the order given. */
const sequenceOf = (template: Reader): number =>
  template.integer("sequence", { min: 0, max: 1_000_000 }) ?? Number.MAX_SAFE_INTEGER;

const readInline = (inline: Reader, files: readonly DocumentFile[]): DefinitionInit => {
  const envelope = inline.object("envelope");
  return defined({
    emailSubject: envelope?.text("emailSubject"),
    emailBlurb: envelope?.text("emailBlurb"),
    documents: readDocuments(inline, files),
    recipients: readRecipients(inline.object("recipients")),
    customFields: readCustomFields(inline.object("customFields")),
  });
};

/** A text that is no UUID names no template. */
function templateLayer(templateId: string): LayerInit {
  if (!isUuid(templateId)) throw new DomainError("TEMPLATE_NOT_FOUND");
  return { source: { case: "templateId", value: templateId.toLowerCase() } };
}

/** An empty definition adds no layer. */
function definitionLayer(definition: DefinitionInit): LayerInit[] {
  const saysNothing = Object.values(definition).every((said) => Array.isArray(said) && said.length === 0);
  return saysNothing ? [] : [{ source: { case: "definition", value: definition } }];
}
