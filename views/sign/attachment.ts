import type { Attachment } from "#gen/assent/sign/v1/sign_pb.ts";
import { isoTime } from "../scalars.ts";
import { hexOrNull } from "./texts.ts";

export const attachmentView = (attachment: Attachment) => ({
  id: attachment.id,
  recipientId: attachment.recipientId,
  recipientIdGuid: attachment.recipientGuid,
  tabId: attachment.tabId,
  fileName: attachment.fileName,
  contentType: attachment.contentType,
  bytes: Number(attachment.bytes),
  sha256: hexOrNull(attachment.sha256),
  createdAt: isoTime(attachment.createdAt),
});
