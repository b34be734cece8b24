import type { KeptReason } from "#api/personal-data.ts";
import type { Agreement, Recipient } from "../agreement/agreement.ts";
import { emailKey } from "../agreement/agreement-records.ts";
import type { AuditEvent } from "../agreement/audit-chain.ts";
import { erasedValue } from "../agreement/audit-commitment.ts";
import type { SubjectKey } from "../agreement/subject-keys.ts";
import { eraseRecipient, replaceIn, textsOf } from "./erased-values.ts";

/** Who is to be erased; both are empty when not known, but not at once. */
export interface Person {
  /** In lower case. */
  readonly email: string;
  readonly userRef: string;
  readonly emailIndex: Buffer | null;
  readonly userIndex: Buffer | null;
}

/** What is known of a person, and what becomes of it. Nothing personal stands in it. */
export interface ErasureItem {
  readonly part: Part;
  /** Of a free text: which. */
  readonly name?: string;
  /** Why it is kept; it is erased otherwise. */
  readonly kept?: KeptReason;
  /** ISO 8601. */
  readonly until?: string;
}

export type Part =
  | "TRAIL"
  | "TRAIL_FORMAT_1"
  | "TRAIL_OF_OTHERS"
  | "RECIPIENT"
  | "SIGNATURE"
  | "TAB_VALUES"
  | "MAIL"
  | "LINKS"
  | "SENDER"
  | "FREE_TEXT"
  | "ATTACHMENT_NAMES"
  | "FILES"
  | "RETRY_KEY"
  | "EVENTS"
  | "BULK_LIST"
  | "BULK_BATCH";

/** What else is stored about the recipients of an agreement, or names the address. */
export interface Beside {
  readonly mailJobs: readonly string[];
  /** Of jobs that say in an error whom a mail could not be sent to. */
  readonly jobErrors: readonly string[];
  readonly links: number;
  /** Those whose file names are theirs, and are not erased yet. */
  readonly attachmentIds: readonly string[];
  /** How many there are of anybody. */
  readonly attachments: number;
  /** Whether the person has saved what they have not finished with. */
  readonly hasProgress: boolean;
  /** ISO 8601. */
  readonly retryKeysUntil: readonly string[];
}

/** What is read of an agreement while it is locked. */
export interface FoundAgreement {
  readonly agreement: Agreement;
  readonly keys: readonly SubjectKey[];
  readonly events: readonly AuditEvent[];
  readonly beside: Beside;
  /** Whether a legal hold keeps it, or the person. */
  readonly isHeld: boolean;
  /** Until when a period keeps it, null for ever; undefined when none does. */
  readonly keptUntil: Date | null | undefined;
}

export interface ErasurePlan {
  readonly items: readonly ErasureItem[];
  /** Whether anything is to be done. */
  readonly erases: boolean;
  readonly agreement: Agreement;
  /** Of the trail, to be erased. */
  readonly keyIds: readonly string[];
  /** Of format 1, to be left without what is personal. */
  readonly events: readonly AuditEvent[];
  /** Whether its files are to be destroyed. */
  readonly erasesFiles: boolean;
}

/** Recipients that are this person. */
export const recipientsOf = (agreement: Agreement, { email, userRef }: Person): Recipient[] =>
  agreement.recipients.filter(
    (one) => (email !== "" && emailKey(one.email) === email) || (userRef !== "" && one.clientUserId === userRef),
  );

/** What erasing a person from an agreement comes to. */
export function planErasure(found: FoundAgreement, person: Person, now: Date): ErasurePlan {
  const { agreement, keys, events, beside } = found;
  const recipients = recipientsOf(agreement, person);
  const theirs = keys.filter(
    (key) => isSame(key.emailIndex, person.emailIndex) || isSame(key.userIndex, person.userIndex),
  );
  const nameless = keys.filter(({ id }) => recipients.some((one) => one.id === id));
  const keyIds = [...new Set([...theirs, ...nameless])].flatMap(({ id, seed }) => (seed === null ? [] : [id]));
  const names = (text: string): boolean => replaceIn(text, person.email) !== text;
  const clear = events.filter((event) => isOfFormat1(event) && tellsOf(event, recipients, names));
  const after = without(agreement, recipients, person);
  const parts: ErasureItem[] = [
    ...item("TRAIL", keyIds.length > 0),
    ...item("TRAIL_FORMAT_1", clear.length > 0),
    ...item("RECIPIENT", recipients.length > 0),
    ...item(
      "SIGNATURE",
      recipients.some(({ signature, initials }) => signature !== null || initials !== null),
    ),
    ...item("TAB_VALUES", beside.hasProgress || recipients.some(({ tabs }) => tabs.some(({ value }) => value !== ""))),
    ...item("MAIL", recipients.some(hasMailTexts) || beside.mailJobs.length + beside.jobErrors.length > 0),
    ...item("LINKS", beside.links > 0),
    ...item("SENDER", after.sender.name !== agreement.sender.name),
    ...textsOf(agreement, after, recipients).map((name): ErasureItem => ({ part: "FREE_TEXT", name })),
    ...item("ATTACHMENT_NAMES", beside.attachmentIds.length > 0),
  ];
  const reason = keptBecause(found);
  const hasFiles = agreement.documents.length + beside.attachments > 0 && !isPurged(agreement);
  const isInFiles = hasFiles && (recipients.length > 0 || theirs.length > 0);
  const isOfNobody = reason === undefined && isNobodyLeft(after);
  const erasesFiles = isInFiles && found.keptUntil === undefined && isOfNobody;
  const erases = reason === undefined && (parts.length > 0 || erasesFiles);
  return {
    items: [
      ...parts.map((one) => ({ ...one, ...reason })),
      ...(isInFiles ? [{ part: "FILES" as const, ...(erasesFiles ? {} : filesKept(found, isOfNobody)) }] : []),
      ...(tellOthersOf(events, new Set(theirs.map(({ id }) => id)), names)
        ? [{ part: "TRAIL_OF_OTHERS" as const, kept: "SEALED_WITH_OTHERS" as const }]
        : []),
      ...eventsUntil(agreement, recipients, names)
        .filter((until) => until > now)
        .map((until) => ({ part: "EVENTS" as const, kept: "REPEATABLE" as const, until: until.toISOString() })),
      ...beside.retryKeysUntil.map((until) => ({ part: "RETRY_KEY" as const, kept: "REPEATABLE" as const, until })),
    ],
    erases,
    agreement: erases ? after : agreement,
    keyIds: erases ? keyIds : [],
    events: erases ? clear : [],
    erasesFiles,
  };
}

const isPurged = ({ purge }: Agreement): boolean => purge != null && purge.purgedAt !== null;

const filesKept = (
  { isHeld, keptUntil: until }: FoundAgreement,
  isOfNobody: boolean,
): Pick<ErasureItem, "kept" | "until"> =>
  isHeld
    ? { kept: "LEGAL_HOLD" }
    : {
        kept: isOfNobody ? "RETENTION" : "FILE_OF_ALL",
        ...(until == null ? {} : { until: until.toISOString() }),
      };

/** What everybody has signed is the organization's own proof, and has to be kept by many a law. */
const cameToNothing: ReadonlySet<Agreement["status"]> = new Set(["declined", "voided", "expired"]);

/** Whether it came to nothing, and all whom it was for are erased. */
const isNobodyLeft = ({ status, recipients }: Agreement): boolean =>
  cameToNothing.has(status) &&
  recipients.every(({ name, email, clientUserId }) => name === erasedValue && email + clientUserId === "");

/** Until when events are kept that say why an agreement was declined or voided. */
function eventsUntil(
  { voidedAt, voidedReason }: Agreement,
  recipients: readonly Recipient[],
  names: (text: string) => boolean,
): Date[] {
  const times = recipients.map(({ declinedAt, declineReason }) => (declineReason === "" ? null : declinedAt));
  return [...times, names(voidedReason) ? voidedAt : null].flatMap((time) =>
    time === null ? [] : [new Date(time.getTime() + eventsMs)],
  );
}

const eventsMs = 7 * 24 * 60 * 60 * 1000;

const open: ReadonlySet<Agreement["status"]> = new Set(["sent", "delivered", "completing"]);

/** Undefined when nothing keeps what is known of a person. */
function keptBecause({ agreement, isHeld }: FoundAgreement): Pick<ErasureItem, "kept" | "until"> | undefined {
  if (isHeld) return { kept: "LEGAL_HOLD" };
  if (!open.has(agreement.status)) return undefined;
  const until = agreement.expiresAt?.toISOString();
  return { kept: "IN_PROGRESS", ...(until === undefined ? {} : { until }) };
}

const item = (part: Part, isThere: boolean): ErasureItem[] => (isThere ? [{ part }] : []);

const isSame = (a: Buffer | null, b: Buffer | null): boolean => a !== null && b !== null && a.equals(b);

const hasMailTexts = ({ emailSubject, emailBlurb, note }: Recipient): boolean =>
  emailSubject + emailBlurb + note !== "";

const isOfFormat1 = ({ committed, erased }: AuditEvent): boolean => committed === undefined && erased === undefined;

function tellsOf(
  { actor, details }: AuditEvent,
  recipients: readonly Recipient[],
  names: (text: string) => boolean,
): boolean {
  const text = JSON.stringify([actor, details]);
  return names(text) || recipients.some(({ id }) => text.includes(id));
}

/** Whether something that is sealed with another key names the address. */
const tellOthersOf = (
  events: readonly AuditEvent[],
  theirs: ReadonlySet<string>,
  names: (text: string) => boolean,
): boolean =>
  events.some(({ committed }) =>
    [...(committed?.disclosed ?? [])].some(
      ([subject, list]) =>
        !theirs.has(subject) &&
        typeof list !== "string" &&
        list.some((one) => names(Buffer.from(one, "base64url").toString("utf8"))),
    ),
  );

/** The agreement without the person. */
function without(agreement: Agreement, recipients: readonly Recipient[], { email }: Person): Agreement {
  const isDraft = agreement.status === "created" || agreement.status === "template";
  const name = isDraft ? "" : erasedValue;
  const { audit, certificate, sender, ...rest } = agreement;
  const replaced = replaceIn(rest, email);
  return {
    ...{ audit, certificate },
    ...replaced,
    // A word in place of a short address may be longer.
    emailSubject: replaced.emailSubject.slice(0, maxSubject),
    sender: email !== "" && emailKey(sender.email) === email ? { ...sender, name: erasedValue, email: "" } : sender,
    recipients: replaced.recipients.map((one, index) =>
      recipients.some(({ id }) => id === one.id)
        ? eraseRecipient(one, name)
        : hostErased(one, agreement.recipients[index]),
    ),
  };
  function hostErased(one: Recipient, before = one): Recipient {
    const isHost = email !== "" && emailKey(before.hostEmail) === email;
    return isHost ? { ...one, hostName: erasedValue, hostEmail: "" } : one;
  }
}

const maxSubject = 100;
