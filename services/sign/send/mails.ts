import type { Agreement, JsonObject, Recipient } from "../agreement/agreement.ts";
import type { JobRequest } from "../agreement/change.ts";
import { hasToAct, isActing } from "../agreement/recipients.ts";
import { isOpen } from "../agreement/transitions.ts";

/** Those that brands have texts of their own for. */
export type BrandedMail = "invitation" | "reminder" | "expiring" | "completed" | "declined" | "voided" | "expired";
/**
 * After a correction, `corrected` asks those who act to look again, `changed` tells those who need not do anything, and
 * `removed` those who take no part any more. `code` brings a code that proves that the reader has the mailbox.
 */
export type MailKind = BrandedMail | "corrected" | "changed" | "removed" | "code";

/** Whether the mail asks the reader to act; the others report the outcome. */
export const asksToAct = (kind: MailKind): boolean =>
  kind === "invitation" || kind === "reminder" || kind === "expiring" || kind === "corrected";

/** The subject of a mail job; the content is composed when the mail is sent. */
export interface MailWish {
  readonly agreementId: string;
  /** UUID. */
  readonly recipientId: string;
  readonly mail: MailKind;
  /** Of somebody who takes no part any more, all that is left of them. */
  readonly former?: Former;
  /** What a correction has changed for the reader. */
  readonly changes?: readonly ChangedPart[];
  /** Of a code: the challenge that it answers. */
  readonly challenge?: string;
}

/** What a correction may change for those who read of it; nothing of it says what it was or is. */
const changedParts = ["subject", "message", "until", "people", "order", "fields", "language"] as const;
export type ChangedPart = (typeof changedParts)[number];

export type Former = Pick<Recipient, "role" | "name" | "email" | "hostName" | "hostEmail" | "locale">;

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

/** For those who had been asked and take no part any more, unless the same address is asked again. */
export const farewells = (agreement: Agreement, gone: readonly Recipient[]): JobRequest[] =>
  gone.flatMap((one) => {
    const { role, name, email, hostName, hostEmail, locale } = one;
    const isAskedAgain = agreement.recipients.some(
      (other) =>
        other.email === email && other.hostEmail === hostEmail && isRemote(other) && other.status !== "completed",
    );
    if (!isRemote(one) || !wasAsked(one) || isAskedAgain) return [];
    const job = mailJob("removed", agreement, one);
    return [{ ...job, payload: { ...job.payload, former: { role, name, email, hostName, hostEmail, locale } } }];
  });

/**
 * For those whose turn goes on, when they see anything else, and for all others who are concerned by who takes part. Each
 * correction has mails of its own, so that none goes unsaid while an earlier one is being mailed.
 */
export const correctedMails = (
  before: Agreement,
  agreement: Agreement,
  changesFor: (recipient: Recipient) => readonly ChangedPart[],
): JobRequest[] => {
  const asked = new Set(before.recipients.filter(wasAsked).map(({ id }) => id));
  return agreement.recipients
    .filter((recipient) => isRemote(recipient) && asked.has(recipient.id))
    .flatMap((recipient) => {
      const isAsked = isActing(recipient);
      const changes = changesFor(recipient).filter((part) => isAsked || part === "people" || part === "order");
      if (changes.length === 0) return [];
      const { key, payload, ...job } = mailJob(isAsked ? "corrected" : "changed", agreement, recipient);
      return [{ ...job, key: `${key}:${agreement.version}`, payload: { ...payload, changes } }];
    });
};

/** Whether the mail is still accurate and needed. */
export function isWorthSending(kind: MailKind, agreement: Agreement, recipient: Recipient): boolean {
  if (kind === "invitation") return isOpen(agreement) && (isActing(recipient) || !hasToAct(recipient));
  if (asksToAct(kind)) return isOpen(agreement) && isActing(recipient);
  if (kind === "removed" || kind === "code") return true;
  if (kind === "changed") return (isOpen(agreement) || isDone(agreement)) && !isActing(recipient);
  return agreement.status === kind;
}

const isDone = ({ status }: Agreement): boolean => status === "completing" || status === "completed";

/** Undefined when the payload belongs to another kind of job. */
export function mailWishOf({ agreementId, recipientId, mail, ...more }: JsonObject): MailWish | undefined {
  if (typeof agreementId !== "string" || typeof recipientId !== "string") return undefined;
  const kind = mailKinds.find((one) => one === mail);
  if (kind === undefined) return undefined;
  const { former, changes, challenge } = more;
  const changed = Array.isArray(changes) ? changedParts.filter((part) => changes.includes(part)) : [];
  return {
    ...{ agreementId, recipientId, mail: kind },
    ...(kind === "removed" ? { former: former as Former } : {}),
    ...(changed.length === 0 ? {} : { changes: changed }),
    ...(typeof challenge === "string" ? { challenge } : {}),
  };
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
  "corrected",
  "changed",
  "removed",
  "code",
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
