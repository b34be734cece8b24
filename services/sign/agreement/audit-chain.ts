import { createHash } from "node:crypto";
import { canonicalJson } from "#platform/canonical-json.ts";
import type { AgreementStatus, AuditHead, JsonObject } from "./agreement.ts";
import type { Actor, AuditAction, AuditEntry } from "./change.ts";

/** A stored event of the audit trail. */
export interface AuditEvent {
  /** Starts at 1, without gaps. */
  readonly sequence: number;
  readonly occurredAt: Date;
  readonly action: AuditAction;
  readonly actor: Actor;
  readonly details: JsonObject | null;
  /** The agreement's status after the change that the event belongs to. */
  readonly agreementStatus: AgreementStatus;
  readonly previousHash: Buffer;
  readonly hash: Buffer;
}

/** Before the first event. */
export const emptyAudit: AuditHead = { count: 0, hash: Buffer.alloc(32) };

/** What all events of one change share. */
export interface ChainedOn {
  readonly agreementId: string;
  readonly head: AuditHead;
  readonly occurredAt: Date;
  readonly agreementStatus: AgreementStatus;
}

/**
 * Links the entries into the chain, each with the hash of the one before. Returns the events and the new head.
 */
export function chain(
  entries: readonly AuditEntry[],
  { agreementId, head, occurredAt, agreementStatus }: ChainedOn,
): { readonly events: readonly AuditEvent[]; readonly head: AuditHead } {
  const events: AuditEvent[] = [];
  let { count, hash: previousHash } = head;
  for (const { action, actor, details = null } of entries) {
    count += 1;
    const event = { sequence: count, occurredAt, action, actor, details, agreementStatus, previousHash };
    const hash = hashOf(agreementId, event);
    events.push({ ...event, hash });
    previousHash = hash;
  }
  return { events, head: { count, hash: previousHash } };
}

/**
 * Whether the events are complete and unchanged. The head is stored apart from them, so a changed or missing
 * event is noticed even when it is the last.
 */
export function isChainIntact(agreementId: string, events: readonly AuditEvent[], head: AuditHead): boolean {
  let last = emptyAudit;
  for (const event of events) {
    const isNext = event.sequence === last.count + 1 && event.previousHash.equals(last.hash);
    if (!isNext || !event.hash.equals(hashOf(agreementId, event))) return false;
    last = { count: event.sequence, hash: event.hash };
  }
  return last.count === head.count && last.hash.equals(head.hash);
}

/** SHA-256 of the canonical JSON (RFC 8785) of the event without the hash itself. */
function hashOf(agreementId: string, event: Omit<AuditEvent, "hash">): Buffer {
  const { sequence, occurredAt, action, actor, details, agreementStatus, previousHash } = event;
  const { source, id, name, email, ip, userAgent } = actor;
  const content = {
    agreementId,
    sequence,
    occurredAt: occurredAt.toISOString(),
    action,
    source,
    actor: { id, name, email, ip, userAgent },
    details: details ?? {},
    agreementStatus,
    previousHash: previousHash.toString("hex"),
  };
  return createHash("sha256").update(canonicalJson(content)).digest();
}
