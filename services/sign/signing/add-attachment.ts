import type { ServiceImpl } from "@connectrpc/connect";
import type { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { sha256Of } from "#platform/blobs/blob-store.ts";
import { changeAgreement, type Within } from "../agreement/change-agreement.ts";
import type { SignDeps } from "../deps.ts";
import { type AttachmentCommand, attachFile, contentTypeOf, requireRoom } from "./attachment.ts";
import { insertAttachment, listAttachments } from "./attachment-store.ts";
import { requireRecipientSession } from "./ceremony-handlers.ts";
import { callerOfVisit, type RecipientSession, signerContext } from "./signing-session.ts";

export const addAttachment = (deps: SignDeps): Pick<ServiceImpl<typeof SigningService>, "addAttachment"> => ({
  async addAttachment({ sessionToken, tabId, fileName, content, visitor }) {
    const session = await requireRecipientSession(deps, sessionToken);
    const { agreement, recipient } = session;
    const decision = signerContext(deps, recipient, visitor);
    const command = { id: deps.newId(), tabId, fileName, content, sha256: sha256Of(content) };
    await changeAgreement(
      deps,
      callerOfVisit(session, visitor),
      { id: agreement.id, isTemplate: false },
      (current) => attachFile(current, recipient.id, command, decision),
      new Map(),
      keep(deps, session, command, decision.now),
    );
    return { value: command.id };
  },
});

/** Keeps the file, in the transaction that tells of it: nobody else attaches anything to the agreement meanwhile. */
const keep =
  (
    { blobs }: Pick<SignDeps, "blobs">,
    { orgId, agreement, recipient }: RecipientSession,
    { id, tabId, fileName, content, sha256 }: AttachmentCommand,
    createdAt: Date,
  ): Within =>
  async (client) => {
    const known = await listAttachments(orgId, client, agreement.id);
    requireRoom(known.filter(({ recipientId }) => recipientId === recipient.id).length);
    await blobs.put(orgId, id, content, client);
    await insertAttachment(orgId, client, {
      ...{ id, agreementId: agreement.id, recipientId: recipient.id, tabId: tabId.toLowerCase(), fileName },
      ...{ contentType: contentTypeOf(content) ?? "", bytes: content.length, sha256, createdAt },
    });
  };
