import { DomainError } from "#platform/errors.ts";
import { isStorable } from "#platform/json-object.ts";
import type { Agreement, Recipient } from "../agreement/agreement.ts";
import { type Change, changeTo, type DecisionContext } from "../agreement/change.ts";

import { invalid, problem } from "../agreement/problems.ts";
import { auditNames, requireTurn } from "../agreement/recipients.ts";
import type { TabValues } from "./tab-values.ts";

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
export const attachedType = "application/pdf";

/** The name of a picture that has become a page says what it is now. */
export const attachedName = ({ fileName, content }: AttachmentCommand): string =>
  contentTypeOf(content) === attachedType
    ? fileName
    : `${fileName.replace(/\.[a-z]{3,4}$/i, "").slice(0, maxNameLength - 4)}.pdf`;

/**
 * Attaches a file to a recipient's tab and records it in the trail. Throws what requireTurn does,
 * TAB_NOT_FOUND, and VALIDATION_FAILED for unsupported files.
 */
export function attachFile(
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
export function requireRoom(known: number): void {
  if (known < maxAttachments) return;
  throw invalid(problem("tabId", "TOO_MANY", `must be one of at most ${maxAttachments} files of the recipient`));
}

/** Throws what attachFile does. */
export function requireAttachable(
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
