import type { ExportedAgreement } from "#api/exported.ts";
import type { Agreement, Recipient, StoredFile } from "../agreement/agreement.ts";
import { emailKey } from "../agreement/agreement-records.ts";
import type { AuditEvent } from "../agreement/audit-chain.ts";
import { publicDetails, shownBy } from "../agreement/audit-commitment.ts";
import type { SubjectKey } from "../agreement/subject-keys.ts";
import { replaceIn } from "../erasure/erased-values.ts";
import { type Person, recipientsOf } from "../erasure/plan-erasure.ts";

export interface FileOfPerson {
  readonly path: string;
  readonly what: ExportedAgreement["files"][number]["what"];
  readonly name: string;
  /** Hex. */
  readonly sha256: string;
  /** Where it is stored; the bytes themselves of what is saved before somebody finishes. */
  readonly file: StoredFile | Uint8Array;
}

/** What an agreement says of a person, without what it says of others. */
export function agreementRecord(
  agreement: Agreement,
  person: Person,
  files: readonly FileOfPerson[],
  events: readonly AuditEvent[],
): ExportedAgreement {
  const { id: agreementId, status, sender } = agreement;
  const mine = recipientsOf(agreement, person);
  const clean = withoutNames([{ email: sender.email }, ...agreement.recipients], person);
  const isMe = (email: string): boolean => person.email !== "" && emailKey(email) === person.email;
  const host = agreement.recipients.find(({ hostEmail }) => isMe(hostEmail));
  return {
    ...{ agreementId, status, subject: clean(agreement.emailSubject), message: clean(agreement.emailBlurb) },
    createdAt: agreement.createdAt.toISOString(),
    sentAt: iso(agreement.sentAt),
    completedAt: iso(agreement.completedAt),
    declinedAt: iso(agreement.declinedAt),
    voidedAt: iso(agreement.voidedAt),
    expiresAt: iso(agreement.expiresAt),
    sender: isMe(sender.email) ? { name: sender.name, email: sender.email } : null,
    host: host === undefined ? null : { name: host.hostName, email: host.hostEmail },
    recipients: mine.map((one) => recipientRecord(one, clean)),
    mentions: mentionsOf(agreement, person).map(({ where, text }) => ({ where, text: clean(text) })),
    files: files.map(({ path, what, name, sha256 }) => ({ path, what, name: clean(name), sha256 })),
    events: events.map((event) => ({
      sequence: event.sequence,
      occurredAt: event.occurredAt.toISOString(),
      action: event.action,
      source: event.actor.source,
      ip: event.actor.ip || null,
      userAgent: event.actor.userAgent || null,
      details: JSON.stringify(event.details ?? {}),
    })),
  };
}

const iso = (time: Date | null): string | null => time?.toISOString() ?? null;

const recipientRecord = (one: Recipient, clean: (text: string) => string): ExportedAgreement["recipients"][number] => ({
  ...{ recipientIdGuid: one.id, role: one.role, name: one.name, email: one.email, status: one.status },
  ...{ userRef: one.clientUserId || null, note: clean(one.note) || null, locale: one.locale || null },
  sentAt: iso(one.sentAt),
  deliveredAt: iso(one.deliveredAt),
  consentedAt: iso(one.consentedAt),
  completedAt: iso(one.completedAt),
  declinedAt: iso(one.declinedAt),
  declineReason: one.declineReason || null,
  deliveryFailedAt: iso(one.deliveryFailedAt),
  deliveryFailedReason: one.deliveryFailedReason || null,
  signature: one.signature?.typed || null,
  initials: one.initials?.typed || null,
  fields: one.tabs
    .filter(({ value }) => value !== "")
    .map(({ label, type, documentId, page, value, originalValue }) => ({
      ...{ label, type, documentId, page },
      // What the sender has filled in may name others.
      value: value === originalValue ? clean(value) : value,
    })),
});

/** Somebody who takes part, as far as texts may name them. */
export type Party = Pick<Recipient, "email" | "name" | "hostEmail" | "hostName" | "clientUserId">;

export const isPerson = ({ email = "", clientUserId }: Partial<Party>, person: Person): boolean =>
  (person.email !== "" && emailKey(email) === person.email) ||
  (person.userRef !== "" && clientUserId === person.userRef);

/** Takes the addresses and names of the others out of texts. */
export function withoutNames(parties: readonly Partial<Party>[], person: Person): <T>(value: T) => T {
  const mine = parties.filter((one) => isPerson(one, person));
  const others = parties.filter((one) => !mine.includes(one));
  const emails = [...others.map(({ email }) => email), ...parties.map(({ hostEmail }) => hostEmail)];
  const names = [...others.map(({ name }) => name), ...parties.map(({ hostName }) => hostName)];
  const ownEmails = new Set([person.email, ...mine.map(({ email = "" }) => emailKey(email))]);
  const ownNames = new Set(mine.map(({ name = "" }) => name.toLowerCase()));
  const words = [
    ...emails.map((email = "") => emailKey(email)).filter((one) => one !== "" && !ownEmails.has(one)),
    ...names.map((name = "") => name.toLowerCase()).filter((name) => name.length > 2 && !ownNames.has(name)),
  ];
  // One name may begin another.
  const longestFirst = [...new Set(words)].sort((a, b) => b.length - a.length);
  return (value) => longestFirst.reduce((left, word) => replaceIn(left, word, "(someone else)"), value);
}

/** Texts that are nobody's in particular and name the address. */
function mentionsOf(agreement: Agreement, { email }: Person): { readonly where: string; readonly text: string }[] {
  const { name, description, voidedReason, transactionId, metadata, customFields } = agreement;
  const texts = [
    ...Object.entries({ name, description, voidedReason, transactionId }),
    ...customFields.map((field): [string, string] => ["customFields", `${field.name}: ${field.value}`]),
    ...Object.entries(metadata ?? {}).map(([key, value]): [string, string] => [
      "metadata",
      JSON.stringify({ [key]: value }),
    ]),
  ];
  return texts.flatMap(([where, text]) => (replaceIn(text, email) === text ? [] : [{ where, text }]));
}

/** A trail in which nothing is disclosed but what is about the person, and the events of it that are. */
export function ownEvents(
  events: readonly AuditEvent[],
  agreement: Agreement,
  keys: readonly SubjectKey[],
  person: Person,
): { readonly all: readonly AuditEvent[]; readonly own: readonly AuditEvent[]; readonly isKnown: boolean } {
  const mine = recipientsOf(agreement, person);
  const isTheirs = ({ id, emailIndex, userIndex }: SubjectKey): boolean =>
    isSame(emailIndex, person.emailIndex) || isSame(userIndex, person.userIndex) || mine.some((one) => one.id === id);
  const theirs = new Set(keys.filter(isTheirs).map(({ id }) => id));
  const shown = events.map((event) => {
    const { committed, erased, actor, details } = event;
    if (erased !== undefined) return { event, isOwn: false };
    if (committed === undefined) {
      const isOwn = mine.some(({ id }) => id === actor.id);
      return { event: isOwn ? event : { ...event, actor: nobodyOf(event), details: publicDetails(details) }, isOwn };
    }
    const disclosed = new Map([...committed.disclosed].filter(([subject]) => theirs.has(subject)));
    const part = { ...committed, disclosed };
    const id = actor.source === "signer" ? actor.id : "";
    const isOwn = [...disclosed.values()].some((list) => typeof list !== "string");
    return { event: { ...event, ...shownBy({ source: actor.source, id }, part), committed: part }, isOwn };
  });
  const own = shown.filter(({ isOwn }) => isOwn).map(({ event }) => event);
  return { all: shown.map(({ event }) => event), own, isKnown: theirs.size + mine.length + own.length > 0 };
}

const nobodyOf = ({ actor: { source } }: AuditEvent) => ({
  ...{ source, id: "", name: "", email: "", ip: "", userAgent: "" },
});

const isSame = (a: Buffer | null, b: Buffer | null): boolean => a !== null && b !== null && a.equals(b);
