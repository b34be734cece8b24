import type { Agreement, JsonObject } from "./agreement.ts";

/** Who acts, and when. */
export interface Actor {
  readonly source: "api" | "signer" | "sender" | "system";
  /** The client's or recipient's id; empty for the system. */
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly ip: string;
  readonly userAgent: string;
}

/** Everything a decision may use besides the agreement, so that decisions stay pure. */
export interface DecisionContext {
  readonly now: Date;
  newId(): string;
  readonly actor: Actor;
}

/** The result of a decision about an agreement. The store writes all of it in one transaction. */
export interface Change {
  readonly agreement: Agreement;
  /** In chronological order. */
  readonly audit: readonly AuditEntry[];
  readonly events: readonly SignEvent[];
  /** Follow-up work, at most one job for each key. */
  readonly jobs: readonly JobRequest[];
}

/** An event of the audit trail before it is chained. */
export interface AuditEntry {
  readonly action: AuditAction;
  readonly actor: Actor;
  readonly details?: JsonObject;
  /** Where it has to be known before the event is written: a certificate names the hash. */
  readonly committed?: Committed;
}

/** The values that an event of format 2 commits to, as far as they are known: the event holds their digests only. */
export interface Committed {
  /** Of the details, what is not about a person. */
  readonly details: JsonObject | null;
  /** Whom the rest is about, by the ids of their keys; first the actor, unless that is the system. */
  readonly subjects: readonly string[];
  /** Sorted, with decoys (RFC 9901 §4.2). */
  readonly digests: readonly string[];
  /** By the id of the subject. */
  readonly disclosed: ReadonlyMap<string, Disclosed>;
}

/**
 * The disclosures of one subject, the first of which names the others; or why there are none: the key is gone, which a
 * statement of erasure says, or something is that nobody may take away.
 */
export type Disclosed = readonly string[] | "erased" | "missing";

export type AuditAction =
  | "agreement.created"
  | "agreement.modified"
  | "agreement.scheduled"
  | "agreement.sent"
  | "agreement.paused"
  | "agreement.resumed"
  | "agreement.corrected"
  | "agreement.locked"
  | "agreement.unlocked"
  | "agreement.reminded"
  | "agreement.delivered"
  | "agreement.completing"
  | "agreement.completed"
  | "agreement.logged"
  | "agreement.declined"
  | "agreement.voided"
  | "agreement.expired"
  | "agreement.deleted"
  | "agreement.erased"
  | "agreement.purge-requested"
  | "agreement.purge-withdrawn"
  | "agreement.purged"
  | "recipient.sent"
  | "recipient.link-made"
  | "recipient.opened"
  | "recipient.consented"
  | "recipient.attached"
  | "recipient.left"
  | "recipient.signed"
  | "recipient.approved"
  | "recipient.viewed"
  | "recipient.copied"
  | "recipient.declined"
  | "recipient.mailed"
  | "recipient.mail-failed"
  | "recipient.code-sent"
  | "recipient.verified"
  | "recipient.verification-failed"
  | "recipient.verification-locked"
  | "recipient.verification-unlocked";

/** An event for other services. The rest of its payload comes from the agreement. */
export type SignEvent =
  | {
      readonly kind:
        | "agreement.created"
        | "agreement.modified"
        | "agreement.sent"
        | "agreement.delivered"
        | "agreement.completed"
        | "agreement.voided"
        | "agreement.expired"
        | "agreement.deleted"
        | "agreement.purged"
        | "agreement.resent"
        | "agreement.corrected"
        | "template.created"
        | "template.modified"
        | "template.deleted";
    }
  | { readonly kind: "agreement.declined"; readonly recipientId: string }
  | {
      readonly kind:
        | "recipient.sent"
        | "recipient.delivered"
        | "recipient.completed"
        | "recipient.declined"
        | "recipient.left"
        | "recipient.undelivered"
        | "recipient.locked";
      /** UUID. */
      readonly recipientId: string;
    }
  | {
      readonly kind: "document.completed";
      /** UUID. */
      readonly documentId: string;
      readonly sha256: Buffer;
    };

/** Work for the job loop. */
export interface JobRequest {
  readonly kind: JobKind;
  /** At most one job of a kind exists for each key. */
  readonly key: string;
  readonly runAt: Date;
  readonly payload: JsonObject;
}

export type JobKind =
  | "bulk-copy"
  | "completion"
  | "deletion"
  | "evidence"
  | "file-search"
  | "file-words"
  | "mail"
  | "notice"
  | "notice-mail"
  | "page-host"
  | "page-host-mail"
  | "purge"
  | "reminder"
  | "resumption"
  | "sender-domain"
  | "sender-domain-mail"
  | "expiry"
  | "expiry-warning";

/** A change that does nothing. */
export const noChange = (agreement: Agreement): Change => changeTo(agreement, {});

/** A change to this agreement, with its events and jobs. */
export const changeTo = (agreement: Agreement, parts: Partial<Omit<Change, "agreement">>): Change => ({
  agreement,
  audit: [],
  events: [],
  jobs: [],
  ...parts,
});

/** Merges two changes; the second was decided on the result of the first. */
const combineChanges = (first: Change, second: Change): Change => ({
  agreement: second.agreement,
  audit: [...first.audit, ...second.audit],
  events: [...first.events, ...second.events],
  jobs: [...first.jobs, ...second.jobs],
});

/** Decides the next change on the result of the first. */
export const thenChange = (first: Change, decide: (agreement: Agreement) => Change): Change =>
  combineChanges(first, decide(first.agreement));
