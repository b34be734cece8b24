import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import type { Agreement } from "../agreement/agreement.ts";
import { agreementTarget } from "../agreement/context.ts";
import { withTarget } from "../agreement/require-target.ts";
import type { SignDeps } from "../deps.ts";
import type { Attachment } from "./attachment.ts";
import { findAttachment, listAttachments } from "./attachment-store.ts";

/** What recipients have attached to tabs, for the organization that sent the agreement. */
export const attachments = (
  deps: Pick<SignDeps, "pool" | "blobs">,
): Pick<ServiceImpl<typeof SignService>, "listAttachments" | "getAttachmentContent"> => ({
  listAttachments(request, context) {
    const { orgId } = requireCaller(context);
    return withTarget(deps, orgId, agreementTarget(request.agreementId), async (agreement, client) => {
      const all = await listAttachments(orgId, client, agreement.id);
      return { attachments: all.map((one) => attachmentMessage(agreement, one)) };
    });
  },
  getAttachmentContent(request, context) {
    const { orgId } = requireCaller(context);
    return withTarget(deps, orgId, agreementTarget(request.agreementId), async (agreement, client) => {
      const id = request.attachmentId.toLowerCase();
      const found = await findAttachment(orgId, client, agreement.id, id);
      if (found === undefined) throw new DomainError("ATTACHMENT_NOT_FOUND");
      const content = await deps.blobs.read(orgId, found.sha256, client);
      if (content === undefined) throw new Error(`the bytes of attachment ${id} are missing`);
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
