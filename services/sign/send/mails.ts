import type { Agreement, JsonObject, Recipient } from "../agreement/agreement.ts";
import type { JobRequest } from "../agreement/change.ts";
import { hasToAct, isActing } from "../agreement/recipients.ts";
import { isOpen } from "../agreement/transitions.ts";

export type MailKind = "invitation" | "reminder" | "expiring" | "completed" | "declined" | "voided" | "expired";

/** Whether the mail asks its reader to do something; the others tell how it ended. */
export const asksToAct = (kind: MailKind): boolean =>
  kind === "invitation" || kind === "reminder" || kind === "expiring";

/** What a mail is about; what it says is read when it is written. */
export interface MailWish {
  readonly agreementId: string;
  /** UUID. */
  readonly recipientId: string;
  readonly mail: MailKind;
}

/** To those of them whose turn has begun. */
export const invitations = (agreement: Agreement, recipients: readonly Recipient[]): JobRequest[] =>
  recipients.filter(isRemote).map((recipient) => mailJob("invitation", agreement, recipient));

/** To those whose turn it is. */
export const reminders = (agreement: Agreement): JobRequest[] => toActing("reminder", agreement);

/** To the same, before it is too late. */
export const expiryWarnings = (agreement: Agreement): JobRequest[] => toActing("expiring", agreement);

/** To everybody: what all have signed belongs to each of them. */
export const completedMails = (agreement: Agreement): JobRequest[] =>
  agreement.recipients.map((recipient) => mailJob("completed", agreement, recipient));

/** To those who had been asked, but for the one who ended it. */
export const endMails = (kind: "declined" | "voided" | "expired", agreement: Agreement): JobRequest[] =>
  agreement.recipients
    .filter((recipient) => isRemote(recipient) && wasAsked(recipient) && recipient.status !== "declined")
    .map((recipient) => mailJob(kind, agreement, recipient));

/** Whether a mail still says something true that its reader needs. */
export function isWorthSending(kind: MailKind, agreement: Agreement, recipient: Recipient): boolean {
  if (kind === "invitation") return isOpen(agreement) && (isActing(recipient) || !hasToAct(recipient));
  if (asksToAct(kind)) return isOpen(agreement) && isActing(recipient);
  return agreement.status === kind;
}

/** Undefined for the payload of something else. */
export function mailWishOf({ agreementId, recipientId, mail }: JsonObject): MailWish | undefined {
  if (typeof agreementId !== "string" || typeof recipientId !== "string") return undefined;
  const kind = kinds.find((one) => one === mail);
  return kind === undefined ? undefined : { agreementId, recipientId, mail: kind };
}

const kinds: readonly MailKind[] = ["invitation", "reminder", "expiring", "completed", "declined", "voided", "expired"];

const toActing = (kind: "reminder" | "expiring", agreement: Agreement): JobRequest[] =>
  agreement.recipients
    .filter((recipient) => isRemote(recipient) && isActing(recipient))
    .map((recipient) => mailJob(kind, agreement, recipient));

/** Whoever is embedded hears from the integration. */
const isRemote = ({ clientUserId }: Recipient): boolean => clientUserId === "";

const wasAsked = ({ status }: Recipient): boolean => status !== "created";

/** One of a kind for a person waits at a time: whoever is reminded twice while no mail gets through is reminded once. */
function mailJob(
  mail: MailKind,
  { id: agreementId, modifiedAt }: Agreement,
  { id: recipientId }: Recipient,
): JobRequest {
  const payload: MailWish = { agreementId, recipientId, mail };
  return { kind: "mail", key: `${agreementId}:${recipientId}:${mail}`, runAt: modifiedAt, payload: { ...payload } };
}
