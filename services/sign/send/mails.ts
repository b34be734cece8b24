import type { Agreement, JsonObject, Recipient } from "../agreement/agreement.ts";
import type { JobRequest } from "../agreement/change.ts";
import { hasToAct, isActing } from "../agreement/recipients.ts";
import { isOpen } from "../agreement/transitions.ts";

export type MailKind = "invitation" | "reminder" | "expiring" | "completed" | "declined" | "voided" | "expired";

/** Whether the mail asks the reader to act; the others report the outcome. */
export const asksToAct = (kind: MailKind): boolean =>
  kind === "invitation" || kind === "reminder" || kind === "expiring";

/** The subject of a mail job; the content is composed when the mail is sent. */
export interface MailWish {
  readonly agreementId: string;
  /** UUID. */
  readonly recipientId: string;
  readonly mail: MailKind;
}

/** For recipients whose turn has just begun. */
export const invitations = (agreement: Agreement, recipients: readonly Recipient[]): JobRequest[] =>
  recipients.filter(isRemote).map((recipient) => mailJob("invitation", agreement, recipient));

/** For recipients whose turn it is. */
export const reminders = (agreement: Agreement): JobRequest[] => toActing("reminder", agreement);

/** For the same recipients, before the agreement expires. */
export const expiryWarnings = (agreement: Agreement): JobRequest[] => toActing("expiring", agreement);

/** For everybody, because all parties get the signed documents. */
export const completedMails = (agreement: Agreement): JobRequest[] =>
  agreement.recipients.map((recipient) => mailJob("completed", agreement, recipient));

/** For everybody who had been asked to act, except the person who ended the agreement. */
export const endMails = (kind: "declined" | "voided" | "expired", agreement: Agreement): JobRequest[] =>
  agreement.recipients
    .filter((recipient) => isRemote(recipient) && wasAsked(recipient) && recipient.status !== "declined")
    .map((recipient) => mailJob(kind, agreement, recipient));

/** Whether the mail is still accurate and needed. */
export function isWorthSending(kind: MailKind, agreement: Agreement, recipient: Recipient): boolean {
  if (kind === "invitation") return isOpen(agreement) && (isActing(recipient) || !hasToAct(recipient));
  if (asksToAct(kind)) return isOpen(agreement) && isActing(recipient);
  return agreement.status === kind;
}

/** Undefined when the payload belongs to another kind of job. */
export function mailWishOf({ agreementId, recipientId, mail }: JsonObject): MailWish | undefined {
  if (typeof agreementId !== "string" || typeof recipientId !== "string") return undefined;
  const kind = mailKinds.find((one) => one === mail);
  return kind === undefined ? undefined : { agreementId, recipientId, mail: kind };
}

/** Their places stand in mails that were sent: new ones go to the end. */
export const mailKinds: readonly MailKind[] = [
  "invitation",
  "reminder",
  "expiring",
  "completed",
  "declined",
  "voided",
  "expired",
];

const toActing = (kind: "reminder" | "expiring", agreement: Agreement): JobRequest[] =>
  agreement.recipients
    .filter((recipient) => isRemote(recipient) && isActing(recipient))
    .map((recipient) => mailJob(kind, agreement, recipient));

/** Embedded recipients are notified by the integration. */
const isRemote = ({ clientUserId }: Recipient): boolean => clientUserId === "";

const wasAsked = ({ status }: Recipient): boolean => status !== "created";

/** At most one mail of a kind waits for each person, so two reminders during an outage become one. */
function mailJob(
  mail: MailKind,
  { id: agreementId, modifiedAt }: Agreement,
  { id: recipientId }: Recipient,
): JobRequest {
  const payload: MailWish = { agreementId, recipientId, mail };
  return { kind: "mail", key: `${agreementId}:${recipientId}:${mail}`, runAt: modifiedAt, payload: { ...payload } };
}
