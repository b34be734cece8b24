import type { Caller } from "#platform/caller.ts";
import { withOrgSnapshot } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Agreement, Sender, StoredFile } from "../agreement/agreement.ts";
import { type Change, changeTo, type DecisionContext, thenChange } from "../agreement/change.ts";
import {
  type CallerContext,
  createAgreement,
  type KeyedAgreement,
  type KeyedRequest,
  type NewBytes,
  type Within,
} from "../agreement/change-agreement.ts";
import { decisionContext, senderOf } from "../agreement/context.ts";
import type { CheckedFile, Definition, DocumentDefinition } from "../agreement/definition.ts";
import { originalOf } from "../agreement/file-store.ts";
import { refuse } from "../agreement/problems.ts";
import { requireBrands } from "../brands/handlers.ts";
import type { SignDeps } from "../deps.ts";
import { checkFiles } from "../edit/documents.ts";
import { documentLimitProblems } from "../edit/edit-documents.ts";
import { requireSendable, sendAgreement } from "../send/send.ts";
import { compose, type LoadedComposition } from "./compose.ts";
import { newCustomFields } from "./custom-fields.ts";
import { withFieldTabs } from "./field-tabs.ts";
import { defaultMembers, withGiven } from "./given-members.ts";
import { bytesOf, filesIn, newDocuments, numberDocuments } from "./new-documents.ts";
import { checkRecipients, newRecipients } from "./new-recipients.ts";
import { type AnchorMatches, anchorMatches, noMatches, wantedTexts } from "./place-tabs.ts";

/** Input for a new agreement or template. */
export interface NewAgreement {
  readonly definition: Definition;
  /** The compositions to merge; the definition overrides them. */
  readonly compositions: readonly LoadedComposition[];
  readonly isTemplate: boolean;
  readonly send: boolean;
  readonly observed: { readonly ip: string; readonly userAgent: string } | undefined;
  readonly idempotency: KeyedRequest | undefined;
  /** Runs in the same transaction. */
  readonly within?: Within;
}

/** Creates an agreement and, if requested, sends it in the same transaction. */
export async function makeAgreement(
  deps: SignDeps,
  caller: Caller & CallerContext,
  wanted: NewAgreement,
): Promise<KeyedAgreement> {
  const { orgId } = caller;
  const { isTemplate, idempotency, within } = wanted;
  await deps.organizations.of(orgId);
  await requireBrands({ pool: deps.pool, orgId }, definitionsOf(wanted));
  const composed = compose(wanted.definition, wanted.compositions);
  const definition = { ...composed, documents: numberDocuments(composed.documents) };
  const checked = await checkFiles(deps, orgId, definition.documents);
  const context = decisionContext(deps, caller, wanted.observed);
  const templateId = isTemplate ? null : firstTemplate(wanted.compositions);
  const draft = createDraft(definition, checked, { isTemplate, sender: senderOf(deps, caller), templateId }, context);
  refuse(documentLimitProblems(draft.agreement.documents));
  const stored = await readStored(deps, orgId, definition.documents);
  const bytes = bytesOf(draft.agreement.documents, [...checked, ...stored]);
  const options = { bytes, idempotency, ...(within === undefined ? {} : { within }) };
  if (!wanted.send) return createAgreement(deps, caller, draft, options);
  requireSendable(draft.agreement);
  const matches = await findAnchors(deps, orgId, draft.agreement, bytes);
  const sent = thenChange(draft, (agreement) => sendAgreement(agreement, matches, context));
  return createAgreement(deps, caller, sent, options);
}

/** What the request says itself, without what templates do. */
const definitionsOf = ({ definition, compositions }: NewAgreement): Definition[] => [
  definition,
  ...compositions.flatMap(({ layers }) =>
    layers.flatMap((layer) => (layer.kind === "definition" ? [layer.definition] : [])),
  ),
];

/** Its periods are those of what is made from it; a draft that was copied passes on that of its own. */
function firstTemplate(compositions: readonly LoadedComposition[]): string | null {
  const sources = compositions.flatMap(({ layers }) =>
    layers.flatMap((layer) => (layer.kind === "template" ? [layer.template] : [])),
  );
  const [id] = sources.flatMap((source) => (source.status === "template" ? source.id : (source.templateId ?? [])));
  return id ?? null;
}

/** The files of templates: each agreement has its own copy, under its own key. */
const readStored = (
  { pool, files }: Pick<SignDeps, "pool" | "files">,
  orgId: OrgId,
  documents: readonly DocumentDefinition[],
): Promise<Pick<CheckedFile, "documentId" | "bytes" | "original">[]> => {
  const stored = documents.flatMap(({ documentId, source }) =>
    source.kind === "stored" ? [{ documentId, ...source }] : [],
  );
  if (stored.length === 0) return Promise.resolve([]);
  return withOrgSnapshot(pool, orgId, async (tenant) => {
    const read = [];
    for (const { documentId, agreementId, document } of stored) {
      const fileOf = (file: StoredFile) => files.read(tenant, agreementId, file).catch(asDeleted);
      const bytes = await fileOf(document);
      const [original] = originalOf(document);
      if (original === undefined) read.push({ documentId, bytes });
      else {
        const format = document.originalFormat ?? "";
        read.push({ documentId, bytes, original: { format, bytes: await fileOf(original) } });
      }
    }
    return read;
  });
};

/** Whoever deletes a template erases its files. */
function asDeleted(error: unknown): never {
  throw error instanceof DomainError && error.code === "DOCUMENT_ERASED"
    ? new DomainError("TEMPLATE_NOT_FOUND", { cause: error })
    : error;
}

/** Finds the anchor texts in the documents. Reads the documents only when there are anchors. */
export async function findAnchors(
  { intake, pool, files: stored }: Pick<SignDeps, "intake" | "pool" | "files">,
  orgId: OrgId,
  agreement: Agreement,
  bytes: NewBytes,
): Promise<AnchorMatches> {
  const wanted = wantedTexts(agreement);
  if (wanted.length === 0) return noMatches;
  const files: { documentId: string; bytes: Uint8Array }[] = [];
  for (const document of agreement.documents) {
    const read = () => withOrgSnapshot(pool, orgId, (tenant) => stored.read(tenant, agreement.id, document));
    files.push({ documentId: document.documentId, bytes: bytes.get(document.id) ?? (await read()) });
  }
  return anchorMatches(wanted, await intake.findTexts(orgId, files, wanted));
}

interface CreateOptions {
  readonly isTemplate: boolean;
  readonly sender: Sender;
  readonly templateId?: string | null;
}

/** Creates a draft or template. The definition's documents must be numbered and its files checked. */
export function createDraft(
  definition: Definition,
  checked: readonly CheckedFile[],
  { isTemplate, sender, templateId = null }: CreateOptions,
  context: DecisionContext,
): Change {
  const { actor, newId, now } = context;
  const recipients = withFieldTabs(newRecipients(definition.recipients, [], context), checked, context);
  checkRecipients(recipients);
  const documents = newDocuments(definition.documents, checked, context);
  const draft: Agreement = {
    id: newId(),
    status: isTemplate ? "template" : "created",
    version: 1,
    ...withGiven(defaultMembers, definition),
    documents,
    recipients,
    customFields: newCustomFields(definition.customFields, context),
    sender,
    templateId,
    createdAt: now,
    modifiedAt: now,
    statusChangedAt: now,
    ...untouched,
  };
  return changeTo(draft, {
    audit: [
      {
        action: "agreement.created",
        actor,
        ...(documents.length === 0 ? {} : { details: { files: filesIn(documents) } }),
      },
    ],
    events: [{ kind: isTemplate ? "template.created" : "agreement.created" }],
  });
}

/** The state of a new agreement. */
const untouched = {
  sentAt: null,
  deliveredAt: null,
  completedAt: null,
  declinedAt: null,
  voidedAt: null,
  voidedReason: "",
  certificate: null,
  sealLevel: null,
  purge: null,
  expiresAt: null,
  remindAt: null,
  currentRoutingOrder: 0,
  audit: { count: 0, hash: Buffer.alloc(32) },
} as const;
