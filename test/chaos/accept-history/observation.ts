import type { JSONWebKeySet } from "jose";

/** A row that keeps an idempotency key. */
export interface RecordRow {
  readonly organizationId: string;
  /** The receipt of an acceptance; of a change of consent, what its receipts name as their update. */
  readonly recordId: string;
  readonly decision: "ACCEPT" | "DECLINE" | "CONSENT";
  readonly sessionId: string | null;
}

/** A change of consent. */
export interface ConsentRow {
  readonly organizationId: string;
  readonly eventId: string;
  readonly receiptId: string;
  /** Null when an acceptance made it; the receipt is then that of the acceptance. */
  readonly updateId: string | null;
}

/** An event as a consumer had it. */
export interface DeliveredEvent {
  readonly id: string;
  readonly subject: string;
  /** What happened to: a receipt, a change of consent. */
  readonly aggregateId: string;
}

/** A leaf as it is stored; hashes are in hexadecimal digits. */
export interface LeafRow {
  readonly index: number;
  readonly recordId: string;
  /** The bytes that were signed: JSON. */
  readonly leaf: string;
  readonly leafHash: string;
}

/** A checkpoint as it is stored. */
export interface CheckpointRow {
  readonly size: number;
  readonly root: string;
  readonly note: string;
  readonly createdAt: Date;
}

/** An inclusion proof as the API answered it; hashes are in base64. */
export interface AnsweredProof {
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly auditPath: readonly string[];
  /** A signed note. */
  readonly checkpoint: string;
}

/** The log of one organization. */
export interface LogView {
  readonly organizationId: string;
  /** How many leaves its head says that there are. */
  readonly size: number;
  /** In the order of their indexes. */
  readonly leaves: readonly LeafRow[];
  readonly checkpoints: readonly CheckpointRow[];
  /** Checkpoints that the API answered at some time. */
  readonly notes: readonly string[];
  /** Published: what its checkpoints are verified with (C2SP signed-note). */
  readonly verifierKeys: readonly string[];
  /** By receipt id. */
  readonly proofs: Readonly<Record<string, AnsweredProof>>;
}

/** What the system holds and says once everything works again. */
export interface Observation {
  readonly records: readonly RecordRow[];
  readonly consents: readonly ConsentRow[];
  /** Ids of the events that were written together with the records. */
  readonly outbox: readonly string[];
  /** Each event id once, however often it came. */
  readonly delivered: readonly DeliveredEvent[];
  readonly logs: readonly LogView[];
  /** Published: what receipts are verified with. */
  readonly keySet: JSONWebKeySet;
}
