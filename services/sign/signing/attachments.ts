import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { requireCaller } from "#platform/caller.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { Agreement } from "../agreement/agreement.ts";
import type { Within } from "../agreement/change-agreement.ts";
import { agreementTarget, withTarget } from "../agreement/context.ts";
import { addFile } from "../agreement/file-store.ts";
import { invalid, problem } from "../agreement/problems.ts";
import type { SignDeps, SigningRpcs, SignRpcs } from "../deps.ts";
import {
  type AttachedFile,
  type Attachment,
  type AttachmentCommand,
  attachedName,
  attachedType,
  attachFile,
  requireAttachable,
  requireRoom,
} from "./attachment.ts";
import { requireRecipientSession } from "./ceremony-handlers.ts";
import { changeInSession, type RecipientSession, signerContext } from "./signing-session.ts";

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
