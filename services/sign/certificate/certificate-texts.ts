import type { AgreementStatus, CheckMethod, RecipientRole, RecipientStatus } from "../agreement/agreement.ts";
import type { AuditAction } from "../agreement/change.ts";
import type { AssuranceLevel } from "../identity/messages.ts";

/** All words of a certificate, in one language. */
export interface CertificateTexts {
  /** BCP 47. */
  readonly locale: string;
  readonly completedTitle: string;
  readonly summaryTitle: string;
  readonly completedLead: string;
  readonly summaryNotes: Readonly<Record<Exclude<AgreementStatus, "completed" | "template">, string>>;
  readonly untitled: string;
  readonly timesNote: string;
  readonly zonedNote: (timeZone: string) => string;
  readonly sourcesNote: string;
  readonly footer: string;
  readonly agreement: string;
  readonly parties: string;
  readonly documents: string;
  readonly attachments: string;
  /** What the sender has corrected after sending, and what each part of it was. */
  readonly corrections: string;
  readonly corrected: Readonly<Record<Correction, string>>;
  readonly trail: string;
  readonly labels: Readonly<Record<Label, string>>;
  readonly statuses: Readonly<Record<Exclude<AgreementStatus, "template">, string>>;
  readonly roles: Readonly<Record<RecipientRole, string>>;
  readonly recipientStatuses: Readonly<Record<RecipientStatus, string>>;
  readonly actions: Readonly<Record<AuditAction, string>>;
  readonly sources: Readonly<Record<"api" | "signer" | "sender" | "system", string>>;
  readonly noParties: string;
  readonly noDocuments: string;
  /** What was checked of who somebody is. */
  readonly embedded: string;
  readonly embeddedBy: (method: string) => string;
  readonly byMail: (email: string) => string;
  /** What this service has checked itself, and what that comes to. */
  readonly checks: Readonly<Record<CheckMethod, string>>;
  readonly notPassed: string;
  readonly failedTimes: (count: number) => string;
  readonly levels: Readonly<Record<AssuranceLevel, string>>;
  readonly notGiven: string;
  readonly consented: (locale: string) => string;
  readonly typed: (name: string, font: string) => string;
  readonly drawn: string;
  readonly pagesOf: (pages: number) => string;
  readonly documentsSum: (documents: number, pages: number) => string;
  readonly hostedBy: (name: string, email: string) => string;
  /** A program that sends for an organization. */
  readonly byProgram: (organization: string, program: string) => string;
  readonly repeated: (event: string, count: number) => string;
  readonly trailNote: (count: number) => string;
  readonly brokenTrailNote: string;
  readonly omitted: (count: number) => string;
  readonly fileKind: (contentType: string, bytes: number) => string;
  readonly omittedAttachments: (count: number) => string;
}

export type Correction =
  | "replaced"
  | "added"
  | "removed"
  | "changed"
  | "fields"
  | "emailSubject"
  | "emailBlurb"
  | "notification";

type Label =
  | "agreementId"
  | "subject"
  | "organization"
  | "sender"
  | "status"
  | "reason"
  | "documents"
  | "created"
  | "sent"
  | "completed"
  | "declined"
  | "ended"
  | "expires"
  | "asOf"
  | "email"
  | "role"
  | "host"
  | "identity"
  | "checks"
  | "assurance"
  | "consent"
  | "signature"
  | "initials"
  | "asked"
  | "shown"
  | "finished"
  | "declineReason"
  | "ip"
  | "browser"
  | "recipientId"
  | "number"
  | "name"
  | "pages"
  | "sha256"
  | "sealedSha256"
  | "sentSha256"
  | "time"
  | "event"
  | "by"
  | "chainHead"
  | "chainCount";

export const englishTexts: CertificateTexts = {
  locale: "en",
  completedTitle: "Certificate of completion",
  summaryTitle: "Summary of an agreement",
  completedLead: "All parties have done their part. This certificate says who did what, and when, on which documents.",
  summaryNotes: {
    created: "This is a summary, not a certificate. The agreement is a draft: no one has been asked to sign it.",
    sent: "This is a summary, not a certificate. The agreement is not finished: it shows how far it was at the time below.",
    delivered:
      "This is a summary, not a certificate. The agreement is not finished: it shows how far it was at the time below.",
    completing:
      "This is a summary, not a certificate. All parties have done their part, but the documents are not sealed yet.",
    declined: "This is a summary, not a certificate. The agreement was declined and has not been completed.",
    voided: "This is a summary, not a certificate. The agreement was voided and has not been completed.",
    expired: "This is a summary, not a certificate. The agreement expired and has not been completed.",
  },
  untitled: "Without a subject",
  timesNote: "All times are in UTC, in the form of ISO 8601.",
  zonedNote: (timeZone) =>
    `Times are those of ${timeZone}, the sender’s time zone, with UTC beside them (Z, ISO 8601).`,
  sourcesNote:
    "Times, IP addresses and what was shown are what this service saw itself. What a browser calls itself is what it said, shortened here, and how the sender’s application identified a person is what the application said.",
  footer: "Agreement {id} · page {page} of {pages}",
  agreement: "Agreement",
  parties: "Who signed",
  documents: "Documents",
  attachments: "Files that were attached",
  corrections: "Corrections after sending",
  corrected: {
    replaced: "{former} was replaced by {name}",
    added: "{name} was added",
    removed: "{name} was removed",
    changed: "The order or the message of {name} was changed",
    fields: "Fields of {name} that were not filled were changed",
    emailSubject: "The subject was changed",
    emailBlurb: "The message was changed",
    notification: "Reminders or the time to sign were changed",
  },
  trail: "Audit trail",
  labels: {
    agreementId: "Agreement id",
    subject: "Subject",
    organization: "Organization",
    sender: "Sender",
    status: "Status",
    reason: "Reason",
    documents: "Documents",
    created: "Created",
    sent: "Sent",
    completed: "Completed",
    declined: "Declined",
    ended: "Ended",
    expires: "Expires",
    asOf: "As of",
    email: "E-mail",
    role: "Role",
    host: "In the presence of",
    identity: "Identity check",
    checks: "Checked by this service",
    assurance: "What that shows",
    consent: "Consent to electronic records",
    signature: "Signature",
    initials: "Initials",
    asked: "Asked",
    shown: "Shown",
    finished: "Finished",
    declineReason: "Reason given",
    ip: "IP address",
    browser: "Browser, by its own account",
    recipientId: "Recipient id",
    number: "No.",
    name: "Name",
    pages: "Pages",
    sha256: "SHA-256 as shown to sign",
    sealedSha256: "SHA-256 when sealed",
    sentSha256: "SHA-256 as uploaded by the sender",
    time: "Time",
    event: "What happened",
    by: "By",
    chainHead: "Head of the chain",
    chainCount: "Events in the chain",
  },
  statuses: {
    created: "Draft",
    sent: "Sent, waiting for the parties",
    delivered: "Opened, waiting for the parties",
    completing: "Signed, being sealed",
    completed: "Completed",
    declined: "Declined",
    voided: "Voided",
    expired: "Expired",
  },
  roles: {
    signer: "Signer",
    approver: "Approver",
    "carbon-copy": "Receives a copy",
    "certified-delivery": "Has to view",
    "in-person-signer": "Signer in person",
  },
  recipientStatuses: {
    created: "Not asked yet",
    sent: "Asked, not opened yet",
    delivered: "Opened, not finished",
    completed: "Finished",
    declined: "Declined",
  },
  actions: {
    "agreement.created": "Agreement created",
    "agreement.modified": "Agreement changed",
    "agreement.sent": "Agreement sent",
    "agreement.scheduled": "Agreement scheduled to be sent",
    "agreement.paused": "Paused before the next parties",
    "agreement.resumed": "Resumed",
    "agreement.corrected": "Agreement corrected by the sender",
    "agreement.locked": "Locked by the sender for a change",
    "agreement.unlocked": "Unlocked by the sender",
    "agreement.reminded": "Parties reminded",
    "agreement.delivered": "Opened by everyone whose turn it was",
    "agreement.completing": "Signed by all, sealing began",
    "agreement.completed": "Agreement completed",
    "agreement.logged": "Entered into the evidence log",
    "agreement.declined": "Agreement declined",
    "agreement.voided": "Agreement voided",
    "agreement.expired": "Agreement expired",
    "agreement.deleted": "Agreement deleted",
    "agreement.erased": "Personal data erased",
    "agreement.purge-requested": "Deletion of its files asked for",
    "agreement.purge-withdrawn": "Files are not deleted after all",
    "agreement.purged": "Files deleted",
    "recipient.sent": "Asked to act",
    "recipient.link-made": "Link for signing made",
    "recipient.opened": "Loaded the documents",
    "recipient.consented": "Consented to electronic records",
    "recipient.attached": "Attached a file",
    "recipient.left": "Left, to finish later",
    "recipient.signed": "Signed",
    "recipient.approved": "Approved",
    "recipient.viewed": "Viewed",
    "recipient.copied": "Given a copy",
    "recipient.declined": "Declined",
    "recipient.mailed": "Email sent",
    "recipient.mail-failed": "Email could not be sent",
    "recipient.code-sent": "Code sent",
    "recipient.verified": "Verification passed",
    "recipient.verification-failed": "Verification failed",
    "recipient.verification-locked": "Verification locked after too many failures",
    "recipient.verification-unlocked": "Verification unlocked by the sender",
  },
  sources: { api: "the sender's system", signer: "the person", sender: "the sender", system: "this service" },
  noParties: "The agreement has no parties.",
  noDocuments: "The agreement has no documents.",
  embedded: "Identified by the sender’s application, which did not say how",
  embeddedBy: (method) => `Identified by the sender’s application, which said how: ${method}`,
  byMail: (email) => `Opened a link that was mailed to ${email}`,
  checks: { access_code: "Access code, told by the sender in another way", email_code: "Code by email" },
  notPassed: "not passed",
  failedTimes: (count) => (count === 1 ? "(1 wrong code)" : `(${count} wrong codes)`),
  levels: {
    link: "Had the link; nothing else was checked",
    mailbox: "Read the mailbox while the agreement was open",
    "shared-secret": "Knew the code that the sender had told them",
    combined: "Read the mailbox, and knew the code that the sender had told them",
  },
  notGiven: "Not given",
  consented: (locale) => `To the text in the language ${locale}, whose SHA-256 is:`,
  typed: (name, font) => (font === "" ? `Typed: ${name}` : `Typed: ${name} (style ${font})`),
  drawn: "Drawn by hand",
  pagesOf: (pages) => (pages === 1 ? "1 page" : `${pages} pages`),
  documentsSum: (documents, pages) =>
    `${documents === 1 ? "1 document" : `${documents} documents`}, ${pages === 1 ? "1 page" : `${pages} pages`}`,
  hostedBy: (name, email) => (email === "" ? name : `${name} (${email})`),
  byProgram: (organization, program) => `${organization}, through its API (“${program}”)`,
  repeated: (event, count) => `${event}, ${count} times`,
  trailNote: (count) =>
    `Each event has the SHA-256 of the one before it. The head of the chain below stands for all ${count} of them, in this order: when any of them is changed, added or left out, it is another one.`,
  brokenTrailNote:
    "WARNING: the events do not fit the head of the chain that was recorded. Do not rely on this audit trail.",
  omitted: (count) => `${count} more events are not printed here. The head of the chain stands for them too.`,
  fileKind: (contentType, bytes) => `${contentType}, ${bytes} bytes`,
  omittedAttachments: (count) => `${count} more files are not printed here. The audit trail tells of them too.`,
};
