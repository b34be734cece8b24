import { createHash } from "node:crypto";
import { canonicalJson } from "#platform/canonical-json.ts";
import type { AgreementStatus, AuditHead, JsonObject } from "./agreement.ts";
import { commitmentMembers, isAsCommitted, shownErased } from "./audit-commitment.ts";
import type { Actor, AuditAction, AuditEntry, Committed } from "./change.ts";

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
  /** Of format 2: what the hash is made over in place of everything personal. Format 1 was hashed in clear. */
  readonly committed?: Committed;
  /**
   * Of an event of format 1 from which everything personal was taken: what is left of the details. Its hash cannot be made
   * again; a later event states what is left of it.
   */
  readonly erased?: { readonly details: JsonObject | null };
}

/** An entry with what it commits to: from here on each event is one of format 2. */
export type CommittedEntry = AuditEntry & Required<Pick<AuditEntry, "committed">>;

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
  entries: readonly CommittedEntry[],
  { agreementId, head, occurredAt, agreementStatus }: ChainedOn,
): { readonly events: readonly AuditEvent[]; readonly head: AuditHead } {
  const events: AuditEvent[] = [];
  let { count, hash: previousHash } = head;
  for (const { action, actor, details = null, committed } of entries) {
    count += 1;
    const event = { sequence: count, occurredAt, action, actor, details, agreementStatus, previousHash, committed };
    const hash = hashOf(agreementId, event);
    events.push({ ...event, hash });
    previousHash = hash;
  }
  return { events, head: { count, hash: previousHash } };
}

/**
 * Whether the events are complete and unchanged. The head is stored apart from them, so a changed or missing
 * event is noticed even when it is the last. What was erased does not count, as far as an event of the trail states that it
 * was.
 */
export function isChainIntact(agreementId: string, events: readonly AuditEvent[], head: AuditHead): boolean {
  const stated = statedErasures(events);
  let last = emptyAudit;
  for (const event of events) {
    const { committed, erased } = event;
    const isNext = event.sequence === last.count + 1 && event.previousHash.equals(last.hash);
    if (!isNext || (erased === undefined && !event.hash.equals(hashOf(agreementId, event)))) return false;
    if (committed !== undefined && !isAsCommitted(event, committed, stated.keys)) return false;
    if (erased !== undefined && !isAsLeft(event, erased)) return false;
    last = { count: event.sequence, hash: event.hash };
  }
  const isStated = ({ events: sequences, sha256 }: Replaced): boolean =>
    sha256 === digestOfErased(agreementId, events, sequences);
  const replaced = stated.replaced.filter(isStated).flatMap(({ events: sequences }) => sequences);
  const areStated = events.every(({ erased, sequence }) => erased === undefined || replaced.includes(sequence));
  return areStated && last.count === head.count && last.hash.equals(head.hash);
}

/** In the details of the event agreement.erased: the events of format 1 from which personal values were removed. */
export interface Replaced {
  readonly events: readonly number[];
  /** Of the canonical JSON of the list of their public parts. */
  readonly sha256: string;
}

function statedErasures(events: readonly AuditEvent[]) {
  const details = events
    .filter(({ action, committed }) => action === "agreement.erased" && committed !== undefined)
    .map(({ committed }) => (committed?.details ?? {}) as { keys?: readonly string[]; replaced?: Replaced });
  return {
    keys: new Set(details.flatMap(({ keys = [] }) => keys)),
    replaced: details.flatMap(({ replaced }) => replaced ?? []),
  };
}

export const digestOfErased = (
  agreementId: string,
  events: readonly AuditEvent[],
  sequences: readonly number[],
): string => {
  const parts = events.filter(({ sequence }) => sequences.includes(sequence));
  return createHash("sha256")
    .update(canonicalJson(parts.map((event) => publicPart(agreementId, event))))
    .digest("hex");
};

/** Whether an event shows only what an erasure has left of it. */
const isAsLeft = ({ actor, details }: AuditEvent, erased: NonNullable<AuditEvent["erased"]>): boolean =>
  canonicalJson(shownErased(actor, erased.details)) === canonicalJson({ actor, details });

/** SHA-256 of the canonical JSON (RFC 8785) of everything but the hash itself. */
const hashOf = (agreementId: string, event: Omit<AuditEvent, "hash">): Buffer =>
  createHash("sha256")
    .update(canonicalJson(publicPart(agreementId, event) ?? firstFormat(agreementId, event)))
    .digest();

/**
 * What the hash of an event of format 2 is made over, and what anybody may see of it; undefined for format 1. Of an event of
 * format 1 that was erased: what is left, with its hash.
 */
export function publicPart(
  agreementId: string,
  event: Omit<AuditEvent, "hash"> & Partial<Pick<AuditEvent, "hash">>,
): JsonObject | undefined {
  const { sequence, occurredAt, action, actor, agreementStatus, previousHash, committed, erased } = event;
  if (committed === undefined && erased === undefined) return undefined;
  return {
    v: committed === undefined ? 1 : 2,
    agreementId,
    sequence,
    occurredAt: occurredAt.toISOString(),
    action,
    source: actor.source,
    ...(actor.source === "signer" ? { recipientId: actor.id } : {}),
    agreementStatus,
    previousHash: previousHash.toString("hex"),
    ...(committed === undefined
      ? { hash: event.hash?.toString("hex"), ...(erased?.details ? { details: erased.details } : {}) }
      : commitmentMembers(committed)),
  };
}

function firstFormat(agreementId: string, event: Omit<AuditEvent, "hash">): JsonObject {
  const { sequence, occurredAt, action, actor, details, agreementStatus, previousHash } = event;
  const { source, id, name, email, ip, userAgent } = actor;
  return {
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
}
