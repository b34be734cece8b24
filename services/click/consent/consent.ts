import { createHash } from "node:crypto";

/** The recordable events of a purpose. Expiry is not recorded, since it follows from the time. */
export type ConsentEventType = "GRANTED" | "RENEWED" | "DENIED" | "WITHDRAWN";
export type ConsentStatus = ConsentEventType | "EXPIRED";
export type ActorType = "USER" | "ADMIN" | "SYSTEM";

/** The published text that asks for a purpose. */
export interface AskedText {
  readonly templateId: string;
  readonly versionId: string;
  readonly revision: number;
  readonly locale: string;
  readonly contentHash: string;
}

/**
 * One change of a user's consent. The latest change of a purpose is self-contained: each copies what it leaves
 * unchanged.
 */
export interface ConsentEvent {
  /** Its position among all changes of the user, from 1 without gaps. */
  readonly revision: number;
  readonly eventId: string;
  readonly purpose: string;
  readonly type: ConsentEventType;
  /** By the server's clock, never earlier than the change before. */
  readonly recordedAt: Date;
  /** When it happened according to the caller. */
  readonly occurredAt: Date | null;
  readonly source: string;
  readonly method: string | null;
  readonly actorType: ActorType;
  readonly text: AskedText | null;
  readonly legalBasis: string | null;
  readonly jurisdiction: string | null;
  /** When the current grant, or the withdrawn one, began. */
  readonly grantedAt: Date | null;
  /** When the grant expires; null when it lasts until withdrawn. */
  readonly expiresAt: Date | null;
  readonly receiptId: string;
}

/** A change with its stated reason. */
export interface ExplainedEvent extends ConsentEvent {
  /** Null when none was given or it may no longer be read. */
  readonly reason: string | null;
}

/** The state of a purpose at a given moment. */
export interface PurposeState {
  readonly status: ConsentStatus;
  /** Consent is granted and in force. */
  readonly valid: boolean;
  readonly updatedAt: Date;
  /** The latest change. */
  readonly event: ConsentEvent;
}

export const isGrant = ({ type }: Pick<ConsentEvent, "type">): boolean => type === "GRANTED" || type === "RENEWED";

/** What the latest change of a purpose means at this moment. */
export function stateAt(event: ConsentEvent, now: Date): PurposeState {
  const { expiresAt, recordedAt, type } = event;
  const valid = isGrant(event) && (expiresAt === null || expiresAt > now);
  if (valid || !isGrant(event) || expiresAt === null) return { status: type, valid, updatedAt: recordedAt, event };
  return { status: "EXPIRED", valid, updatedAt: later(expiresAt, recordedAt), event };
}

/** A history entry: a recorded change or an expiry. */
export interface HistoryEntry {
  readonly eventId: string;
  readonly type: ConsentStatus;
  readonly purpose: string;
  readonly at: Date;
  readonly occurredAt: Date | null;
  readonly source: string;
  readonly receiptId: string | null;
  readonly actor: ActorType;
  readonly reason: string | null;
}

/**
 * The history up to now, newest first, including expiries. Takes the changes newest first. All changes of a
 * purpose are needed; `isWanted` selects which to show.
 */
export function historyOf(
  events: readonly ExplainedEvent[],
  now: Date,
  isWanted: (event: ConsentEvent) => boolean = () => true,
): HistoryEntry[] {
  const next = new Map<string, ConsentEvent>();
  const entries: HistoryEntry[] = [];
  for (const event of events) {
    const { expiresAt, purpose } = event;
    const followed = next.get(purpose)?.recordedAt;
    next.set(purpose, event);
    if (!isWanted(event)) continue;
    if (expiresAt !== null && expiresAt <= now && (followed === undefined || followed >= expiresAt)) {
      entries.push(expiryOf(event, expiresAt));
    }
    entries.push(recorded(event));
  }
  // Expiries must be sorted in among later changes of other purposes. The sort is stable: entries with equal
  // times stay newest first.
  return entries.sort((a, b) => b.at.getTime() - a.at.getTime());
}

const recorded = (event: ExplainedEvent): HistoryEntry => ({
  eventId: event.eventId,
  type: event.type,
  purpose: event.purpose,
  at: event.recordedAt,
  occurredAt: event.occurredAt,
  source: event.source,
  receiptId: event.receiptId,
  actor: event.actorType,
  reason: event.reason,
});

const expiryOf = (event: ConsentEvent, expiresAt: Date): HistoryEntry => ({
  eventId: expiryId(event.eventId),
  type: "EXPIRED",
  purpose: event.purpose,
  at: later(expiresAt, event.recordedAt),
  occurredAt: null,
  source: "SYSTEM",
  receiptId: null,
  actor: "SYSTEM",
  reason: null,
});

const later = (a: Date, b: Date): Date => (a > b ? a : b);

/** The id of an expiry: a UUIDv8 derived from the id of the grant. */
export function expiryId(eventId: string): string {
  const bytes = createHash("sha256").update(`expiry of ${eventId}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
