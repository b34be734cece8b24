import type { MessageInitShape } from "@bufbuild/protobuf";
import { readCustomFields } from "#api/compat-records.ts";
import type { CompositionSchema, LayerSchema } from "#gen/assent/sign/v1/sign_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { defined } from "#platform/json-object.ts";
import type { DocumentFile } from "../../document-bodies/document-file.ts";
import {
  type DefinitionContext,
  type DefinitionInit,
  readDefinition,
  readDocument,
  readDocuments,
} from "./definition.ts";
import type { Reader } from "./reader.ts";
import { readRecipients, readRole } from "./recipients.ts";

type CompositionInit = MessageInitShape<typeof CompositionSchema>;
type LayerInit = MessageInitShape<typeof LayerSchema>;

export interface CreateInit {
  readonly definition: DefinitionInit;
  readonly compositions: CompositionInit[];
  readonly send: boolean;
}

/** An `EnvelopeDefinition`: with documents of its own, from a template with roles, or from composite templates. */
export const readCreate = (body: Reader, context: DefinitionContext): CreateInit => ({
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
