import { DomainError } from "#platform/errors.ts";
import type { Scope } from "../auth/principal.ts";
import { onBehalfOf, type RouteRequest } from "../routes/route.ts";
import type { Services } from "../routes/services.ts";
import { type DefinitionContext, type DefinitionInit, readDefinition } from "./read/definition.ts";
import { type Reader, readWith } from "./read/reader.ts";
import { refuseMeaningful, requestHash } from "./read/refuse.ts";
import { asksToResume } from "./read/workflow.ts";
import { uploadTimeoutMs } from "./routes/documents.ts";
import { envelopeTarget } from "./target.ts";

/** The kind of change, with the scopes of which any one suffices. */
export type EnvelopeChange =
  /** An empty body, which anybody allowed to change something may send. */
  | { readonly action: "none"; readonly scopes: undefined }
  | { readonly action: "resend" | "resume" | "delete"; readonly scopes: readonly Scope[] }
  | { readonly action: "purge"; readonly scopes: readonly Scope[]; readonly state: string }
  | { readonly action: "void"; readonly scopes: readonly Scope[]; readonly reason: string }
  | { readonly action: "send"; readonly scopes: readonly Scope[]; readonly changes: DefinitionInit }
  | {
      readonly action: "change";
      readonly scopes: readonly Scope[];
      readonly changes: DefinitionInit;
      readonly replaced: Replaced;
    };

interface Replaced {
  readonly replaceDocuments: boolean;
  readonly replaceRecipients: boolean;
  readonly replaceCustomFields: boolean;
}

/** As in `/v1/sign`: the scope to write includes sending. */
const sending: readonly Scope[] = ["sign:send", "sign:write"];

type ChangeRequest = Pick<
  RouteRequest<string, { resend_envelope?: string }, object>,
  "query" | "body" | "files" | "idempotencyKey" | "observed" | "caller"
> & { readonly params: Readonly<Record<"envelopeId", string>> };

/** Determines which change a request asks for. */
export function readChange(
  { query, body, files }: Pick<ChangeRequest, "query" | "body" | "files">,
  { receiverRules }: Pick<Services, "receiverRules">,
): EnvelopeChange {
  const context = { files, receiverRules };
  const resends = readWith(query, (reader) => reader.flag("resend_envelope")) === true;
  return readWith(body, (reader) => {
    const status = reader.text("status")?.trim().toLowerCase() ?? "";
    if (status === "" && asksToResume(reader)) return readResume(reader);
    if (resends) return readResend(reader, status);
    const purge = readPurge(reader, status);
    if (purge !== undefined) return purge;
    switch (status) {
      case "":
      case "created":
        return readOwnChange(reader, context, status);
      case "sent":
        return { action: "send", scopes: sending, changes: readDefinition(reader, context) };
      case "voided":
        return { action: "void", scopes: ["sign:admin"], reason: reader.text("voidedReason") ?? "" };
      case "deleted":
        return { action: "delete", scopes: ["sign:admin"] };
      default:
        throw new DomainError("INVALID_ENVELOPE_STATUS", {
          message: "The status can only be set to sent, voided or deleted; all others result from what recipients do.",
        });
    }
  });
}

/** Performs the change. Returns whether an earlier request with the same key had already done it. */
export async function updateEnvelope(
  change: EnvelopeChange,
  request: ChangeRequest,
  { sign }: Pick<Services, "sign">,
): Promise<boolean> {
  const agreementId = request.params.envelopeId;
  const { observed, idempotencyKey, body, files } = request;
  // Looking into documents and for anchors takes longer than the default of an RPC allows.
  const options = { ...onBehalfOf(request), timeoutMs: uploadTimeoutMs };
  switch (change.action) {
    case "none":
      await sign.getAgreement({ target: envelopeTarget(agreementId) }, options);
      return false;
    case "resend":
      await sign.remindAgreement({ agreementId, observed }, options);
      return false;
    case "resume": {
      const hash = (): Uint8Array<ArrayBuffer> => requestHash(`resumeEnvelope ${agreementId}`, body, files);
      const key = idempotencyKey === "" ? {} : { idempotencyKey, requestHash: hash() };
      const resumed = await sign.resumeAgreement({ agreementId, ...key, observed }, options);
      return resumed.replayed;
    }
    case "void":
      await sign.voidAgreement({ agreementId, reason: change.reason, observed }, options);
      return false;
    case "purge":
      await sign.purgeAgreement({ agreementId, state: change.state, observed }, options);
      return false;
    case "delete":
      await sign.deleteAgreement({ target: envelopeTarget(agreementId), observed }, options);
      return false;
    case "change":
      await sign.updateAgreement(
        { target: envelopeTarget(agreementId), changes: change.changes, ...change.replaced, observed },
        options,
      );
      return false;
    case "send": {
      const hash = (): Uint8Array<ArrayBuffer> => requestHash(`sendEnvelope ${agreementId}`, body, files);
      const key = idempotencyKey === "" ? {} : { idempotencyKey, requestHash: hash() };
      const sent = await sign.sendAgreement({ agreementId, changes: change.changes, ...key, observed }, options);
      return sent.replayed;
    }
  }
}

/** Resending changes nothing else, so any other member is refused instead of silently ignored. */
function readResend(reader: Reader, status: string): EnvelopeChange {
  if (status !== "" && status !== "sent") {
    reader.problem("status", "CONFLICT", "must not be changed when resend_envelope is true");
  }
  refuseMeaningful(reader, changedByDrafts);
  return { action: "resend", scopes: sending };
}

/** The same of resuming: the workflow itself stays as it was when the envelope was sent. */
function readResume(reader: Reader): EnvelopeChange {
  refuseMeaningful(reader, resumedAlone);
  const workflow = reader.object("workflow");
  if (workflow !== undefined) refuseMeaningful(workflow, ["scheduledSending", "workflowSteps"]);
  return { action: "resume", scopes: sending };
}

const changedByDrafts = [
  "documents",
  "recipients",
  "customFields",
  "emailSubject",
  "emailBlurb",
  "notification",
  "workflow",
];
const resumedAlone = changedByDrafts.filter((name) => name !== "workflow");

function readOwnChange(reader: Reader, context: DefinitionContext, status: string): EnvelopeChange {
  const changes = readDefinition(reader, context);
  const replaced = replacedBy(changes);
  const saysNothing =
    status === "" &&
    !Object.values(replaced).includes(true) &&
    Object.values(changes).every((said) => Array.isArray(said) && said.length === 0);
  if (saysNothing) return { action: "none", scopes: undefined };
  return { action: "change", scopes: ["sign:write"], changes, replaced };
}

/** An empty list means nothing: many programs send every list they know. Deletion has its own operation. */
export const replacedBy = ({ documents = [], recipients = [], customFields = [] }: DefinitionInit): Replaced => ({
  replaceDocuments: documents.length > 0,
  replaceRecipients: recipients.length > 0,
  replaceCustomFields: customFields.length > 0,
});

const purgeStates = ["documents_queued", "documents_and_metadata_queued", "documents_dequeued"];

/** Clients send back the whole envelope that they have read, so its status may be there as well as anything else of it. */
function readPurge(reader: Reader, status: string): EnvelopeChange | undefined {
  const state = reader.text("purgeState")?.trim().toLowerCase() ?? "";
  if (state === "" || state === "unpurged") return undefined;
  if (!purgeStates.includes(state)) {
    reader.problem("purgeState", "INVALID", `must be '${purgeStates.join("' or '")}'`);
  } else if (["created", "sent", "voided", "deleted"].includes(status)) {
    reader.problem("purgeState", "CONFLICT", `must not be given when the status is to be ${status}`);
  }
  return { action: "purge", scopes: ["sign:admin"], state };
}
