import type { Agreement, JsonObject } from "./agreement.ts";

/** Who acts, and when. */
export interface Actor {
  readonly source: "api" | "signer" | "sender" | "system";
  /** The client or the recipient's UUID; empty for the system. */
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly ip: string;
  readonly userAgent: string;
}

/** What every decision is made with; nothing else comes from outside. */
export interface DecisionContext {
  readonly now: Date;
  newId(): string;
  readonly actor: Actor;
}

/** What a decision about an agreement comes to. The store writes all of it in one transaction, or nothing. */
export interface Change {
  readonly agreement: Agreement;
  /** In the order in which it happened. */
  readonly audit: readonly AuditEntry[];
  readonly events: readonly SignEvent[];
  /** Work that has to follow, at most once for each key. */
  readonly jobs: readonly JobRequest[];
}

/** A line of the audit trail, before it is chained. */
export interface AuditEntry {
  readonly action: AuditAction;
  readonly actor: Actor;
  readonly details?: JsonObject;
}

export type AuditAction =
  | "agreement.created"
  | "agreement.modified"
  | "agreement.sent"
  | "agreement.reminded"
  | "agreement.delivered"
  | "agreement.completing"
  | "agreement.completed"
  | "agreement.logged"
  | "agreement.declined"
  | "agreement.voided"
  | "agreement.expired"
  | "agreement.deleted"
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
  | "recipient.mail-failed";

/** What others are told. Everything else of the message comes from the agreement. */
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
        | "agreement.resent"
        | "template.created"
        | "template.modified"
        | "template.deleted";
    }
  | { readonly kind: "agreement.declined"; readonly recipientId: string; readonly reason: string }
  | {
      readonly kind:
        | "recipient.sent"
        | "recipient.delivered"
        | "recipient.completed"
        | "recipient.declined"
        | "recipient.left";
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
  /** One job of a kind and key at a time. */
  readonly key: string;
  readonly runAt: Date;
  readonly payload: JsonObject;
}

export type JobKind = "bulk-copy" | "completion" | "evidence" | "mail" | "reminder" | "expiry" | "expiry-warning";

/** Nothing happens. */
export const noChange = (agreement: Agreement): Change => changeTo(agreement, {});

/** A change to this, with what belongs to it. */
export const changeTo = (agreement: Agreement, parts: Partial<Omit<Change, "agreement">>): Change => ({
  agreement,
  audit: [],
  events: [],
  jobs: [],
  ...parts,
});

/** Two changes as one; the second was decided over the agreement of the first. */
const combineChanges = (first: Change, second: Change): Change => ({
  agreement: second.agreement,
  audit: [...first.audit, ...second.audit],
  events: [...first.events, ...second.events],
  jobs: [...first.jobs, ...second.jobs],
});

/** Decides the next change over what the first one came to. */
export const thenChange = (first: Change, decide: (agreement: Agreement) => Change): Change =>
  combineChanges(first, decide(first.agreement));
