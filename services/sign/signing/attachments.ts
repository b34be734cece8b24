import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { requireCaller } from "#platform/caller.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isStorable } from "#platform/json-object.ts";
import type { Agreement, Recipient } from "../agreement/agreement.ts";
import { type Change, changeTo, type DecisionContext } from "../agreement/change.ts";
import type { Within } from "../agreement/change-agreement.ts";
import { agreementTarget, withTarget } from "../agreement/context.ts";
import { addFile } from "../agreement/file-store.ts";
import { invalid, problem } from "../agreement/problems.ts";
import { auditNames, requireTurn } from "../agreement/recipients.ts";
import type { SignDeps, SigningRpcs, SignRpcs } from "../deps.ts";
import { requireRecipientSession } from "./ceremony-handlers.ts";
import { changeInSession, type RecipientSession, signerContext } from "./signing-session.ts";
import type { TabValues } from "./tab-values.ts";

/** Attached files, for the organization that sent the agreement. */
export const attachments = (
  deps: Pick<SignDeps, "pool" | "files">,
): SignRpcs<"listAttachments" | "getAttachmentContent"> => ({
  listAttachments(request, context) {
    const { orgId } = requireCaller(context);
    return withTarget(deps, orgId, agreementTarget(request.agreementId), async (agreement, tenant) => {
      const all = await listAttachments(tenant, agreement.id);
      return { attachments: all.map((one) => attachmentMessage(agreement, one)) };
    });
  },
  getAttachmentContent(request, context) {
    const { orgId } = requireCaller(context);
    return withTarget(deps, orgId, agreementTarget(request.agreementId), async (agreement, tenant) => {
      const id = request.attachmentId.toLowerCase();
      const found = await findAttachment(tenant, agreement.id, id);
      if (found === undefined) throw new DomainError("ATTACHMENT_NOT_FOUND");
      const content = await deps.files.read(tenant, agreement.id, found);
      return { attachment: attachmentMessage(agreement, found), content };
    });
  },
});

function attachmentMessage({ recipients }: Agreement, attachment: Attachment) {
  const { id, recipientId, tabId, fileName, contentType, bytes, sha256, createdAt } = attachment;
  return {
    ...{ id, tabId, fileName, contentType, sha256, bytes: BigInt(bytes), createdAt: timestampFromDate(createdAt) },
    recipientGuid: recipientId,
    recipientId: recipients.find((one) => one.id === recipientId)?.recipientId ?? "",
  };
}

export const addAttachment = (deps: SignDeps): SigningRpcs<"addAttachment"> => ({
  async addAttachment({ sessionToken, tabId, fileName, content, visitor }) {
    const session = await requireRecipientSession(deps, sessionToken);
    const { recipient } = session;
    const decision = signerContext(deps, recipient, visitor);
    const command = { id: deps.newId(), tabId, fileName, content };
    // Reading a file takes time: what would be refused is not read, and nothing is locked meanwhile.
    requireAttachable(session.agreement, recipient.id, command);
    const kept = await readAttached(deps, session.orgId, content);
    await changeInSession(
      deps,
      session,
      visitor,
      (current) => attachFile(current, recipient.id, command, kept, decision),
      keep(deps, session, command, kept, decision.now),
    );
    return { value: command.id };
  },
});

const unusable: ReadonlySet<string> = new Set(["CORRUPTED_DOCUMENT", "INVALID_DOCUMENT_FORMAT"]);

/** A PNG may be larger in a PDF than it was. */
const maxKeptBytes = 10 * 1024 * 1024;

/** A picture is made a page, upright and without what was written into it; all is checked as documents are. */
async function readAttached({ intake }: SignDeps, orgId: string, sent: Uint8Array): Promise<AttachedFile> {
  try {
    const { bytes: content, sha256, sentSha256 } = await intake.checkAttached(orgId, sent);
    if (content.length > maxKeptBytes) throw invalid(problem("contentBase64", "TOO_LARGE", "makes too large a page"));
    return { content, sha256, sentSha256 };
  } catch (error) {
    if (!(error instanceof DomainError) || !unusable.has(error.code)) throw error;
    throw invalid(problem("contentBase64", "NOT_ALLOWED", `cannot be kept. ${error.message}`));
  }
}

/** Stores the file in the transaction that records it, while the agreement is locked. */
const keep =
  (
    { files }: Pick<SignDeps, "files">,
    { agreement, recipient }: RecipientSession,
    command: AttachmentCommand,
    { content, sha256 }: AttachedFile,
    createdAt: Date,
  ): Within =>
  async (tenant) => {
    const { id, tabId } = command;
    const known = await listAttachments(tenant, agreement.id);
    requireRoom(known.filter(({ recipientId }) => recipientId === recipient.id).length);
    await addFile(tenant, files, agreement.id, { id, sha256 }, content);
    await insertAttachment(tenant, {
      ...{ id, agreementId: agreement.id, recipientId: recipient.id, tabId: tabId.toLowerCase() },
      ...{ fileName: attachedName(command), contentType: attachedType, bytes: content.length, sha256, createdAt },
    });
  };

async function insertAttachment({ orgId, client }: Tenant, attachment: Attachment): Promise<void> {
  const { id, agreementId, recipientId, tabId, fileName, contentType, bytes, sha256, createdAt } = attachment;
  await client.query(
    `insert into sign.attachment (organization_id, id, agreement_id, recipient_id, tab_id, file_name, content_type,
       bytes, sha256, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [orgId, id, agreementId, recipientId, tabId, fileName, contentType, bytes, sha256, createdAt],
  );
}

/** The attachments of an agreement's recipients, in order of attaching. */
export async function listAttachments({ orgId, client }: Tenant, agreementId: string): Promise<readonly Attachment[]> {
  const { rows } = await client.query<Attachment>(
    `select ${columns} from sign.attachment where organization_id = $1 and agreement_id = $2 order by created_at, id`,
    [orgId, agreementId],
  );
  return rows;
}

/** Undefined when no such file is attached to this agreement. */
async function findAttachment(
  { orgId, client }: Tenant,
  agreementId: string,
  id: string,
): Promise<Attachment | undefined> {
  const { rows } = await client.query<Attachment>(
    `select ${columns} from sign.attachment where organization_id = $1 and agreement_id = $2 and id = $3`,
    [orgId, agreementId, id],
  );
  return rows[0];
}

const columns = `id, agreement_id as "agreementId", recipient_id as "recipientId", tab_id as "tabId",
  file_name as "fileName", content_type as "contentType", bytes, sha256, created_at as "createdAt"`;

/** A file that a recipient has attached to a tab. */
export interface Attachment {
  /** UUID: the tab's value, and the key of the bytes in the blob store. */
  readonly id: string;
  readonly agreementId: string;
  /** UUID. */
  readonly recipientId: string;
  readonly tabId: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly sha256: Buffer;
  readonly createdAt: Date;
}

const maxBytes = 5 * 1024 * 1024;
const maxNameLength = 255;
/** A recipient may replace a file, but not endlessly, because replaced files are kept. */
const maxAttachments = 50;

/** A file that a recipient wants to attach. */
export interface AttachmentCommand {
  /** UUID of the new attachment. */
  readonly id: string;
  readonly tabId: string;
  readonly fileName: string;
  /** As it was sent. */
  readonly content: Uint8Array;
}

/** What is kept of it: a PDF. */
export interface AttachedFile {
  readonly content: Uint8Array;
  /** Of the content. */
  readonly sha256: Buffer;
  /** Of what was sent. */
  readonly sentSha256: Buffer;
}

/** Whatever was sent, a PDF is kept. */
const attachedType = "application/pdf";

/** The name of a picture that has become a page says what it is now. */
const attachedName = ({ fileName, content }: AttachmentCommand): string =>
  contentTypeOf(content) === attachedType
    ? fileName
    : `${fileName.replace(/\.[a-z]{3,4}$/i, "").slice(0, maxNameLength - 4)}.pdf`;

/**
 * Attaches a file to a recipient's tab and records it in the trail. Throws what requireTurn does,
 * TAB_NOT_FOUND, and VALIDATION_FAILED for unsupported files.
 */
function attachFile(
  agreement: Agreement,
  recipientId: string,
  command: AttachmentCommand,
  kept: AttachedFile,
  { actor }: DecisionContext,
): Change {
  const recipient = requireAttachable(agreement, recipientId, command);
  const sent = kept.sentSha256.equals(kept.sha256) ? {} : { sentSha256: kept.sentSha256.toString("hex") };
  const file = {
    ...{ attachmentId: command.id, tabId: command.tabId.toLowerCase(), fileName: attachedName(command) },
    ...{ contentType: attachedType, bytes: kept.content.length, sha256: kept.sha256.toString("hex"), ...sent },
  };
  const details = { ...auditNames(recipient), ...file };
  return changeTo(agreement, { audit: [{ action: "recipient.attached", actor, details }] });
}

/** Throws VALIDATION_FAILED when the recipient has reached the limit of attachments. */
function requireRoom(known: number): void {
  if (known < maxAttachments) return;
  throw invalid(problem("tabId", "TOO_MANY", `must be one of at most ${maxAttachments} files of the recipient`));
}

/** Throws what attachFile does. */
function requireAttachable(
  agreement: Agreement,
  recipientId: string,
  { tabId, fileName, content }: AttachmentCommand,
): Recipient {
  const recipient = requireTurn(agreement, recipientId);
  const tab = recipient.tabs.find((one) => one.tabId === tabId.toLowerCase());
  if (tab?.type !== "attachment" || tab.locked) throw new DomainError("TAB_NOT_FOUND");
  if (fileName === "" || fileName.length > maxNameLength || !isStorable(fileName)) {
    throw invalid(problem("fileName", "INVALID_NAME", `must be a name of at most ${maxNameLength} characters`));
  }
  if (content.length > maxBytes) throw invalid(problem("contentBase64", "TOO_LARGE", "must have at most 5 MB"));
  if (contentTypeOf(content) === undefined) {
    throw invalid(problem("contentBase64", "NOT_ALLOWED", "must be a PDF, PNG or JPEG"));
  }
  return recipient;
}

/** The value of an attachment tab must be a file that the recipient attached. Throws VALIDATION_FAILED. */
export function requireAttached({ tabs }: Recipient, values: TabValues, attached: ReadonlySet<string>): void {
  const strange = tabs.filter((tab) => {
    const value = values.get(tab.tabId) ?? tab.value;
    return tab.type === "attachment" && !tab.locked && value !== "" && !attached.has(value);
  });
  if (strange.length > 0) {
    throw invalid(...strange.map(({ tabId }) => problem(tabId, "NOT_ALLOWED", "must be a file that was attached")));
  }
}

/** Undefined for an unsupported type. */
function contentTypeOf(content: Uint8Array): string | undefined {
  return signatures.find(({ bytes }) => bytes.every((byte, index) => content[index] === byte))?.contentType;
}

/** The magic bytes of supported file types. */
const signatures = [
  { contentType: "application/pdf", bytes: [0x25, 0x50, 0x44, 0x46, 0x2d] },
  { contentType: "image/png", bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { contentType: "image/jpeg", bytes: [0xff, 0xd8, 0xff] },
] as const;
