/** A receipt as the API answered it. */
export interface AnsweredReceipt {
  readonly receiptId: string;
  readonly [member: string]: unknown;
}

/** What a client learned from one request. */
export type Outcome =
  /** Recorded now (fresh) or before. A change of consent may have several receipts. */
  | { readonly kind: "ok"; readonly fresh: boolean; readonly receipts: readonly AnsweredReceipt[] }
  /** 422: the key belongs to another body. */
  | { readonly kind: "reused" }
  /** Another answer that says that nothing was recorded. */
  | { readonly kind: "refused"; readonly status: number; readonly errorCode: string }
  /** Nobody took the connection. */
  | { readonly kind: "unsent" }
  /** No answer, or one that leaves it open. */
  | { readonly kind: "unknown"; readonly reason: string };

/** One request from its beginning to its end. */
export interface Operation {
  readonly client: string;
  readonly organizationId: string;
  readonly key: string;
  /** Names the body that was sent; the same key and variant are the same request. */
  readonly variant: string;
  /** Milliseconds since the beginning of the run. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: Outcome;
}

/** How the keys begin under which texts are accepted that change during the run. */
export const changingKey = "changing-";

/** Something that was done to the system. */
export interface Incident {
  readonly fault: string;
  readonly at: number;
  readonly phase: "begins" | "ends";
}

/** The client that asks once more for everything when all faults are over. */
export const lastClient = "afterwards";

/** A text that went live in the place of the one before it. */
export interface Publication {
  readonly organizationId: string;
  readonly versionId: string;
  readonly revision: number;
  /** By the clock, in milliseconds since 1970: the time that it was scheduled for, or when it was first asked for. */
  readonly liveFrom: number;
  readonly isScheduled: boolean;
  /** When its author knew that it is live, or will be at its time, in milliseconds since the beginning of the run. */
  readonly toldAt: number;
}

/** A session, as the answer to its opening has it. */
export interface OpenedSession {
  readonly sessionId: string;
  /** Under which it is accepted. */
  readonly key: string;
  readonly versionId: string;
  /** The revision that it pins. */
  readonly revision: number;
  /** Milliseconds since the beginning of the run. */
  readonly startedAt: number;
  /** By the clock, when it was asked for and when the service made it. */
  readonly askedAt: number;
  readonly createdAt: number;
}

export interface History {
  readonly operations: readonly Operation[];
  readonly incidents: readonly Incident[];
  readonly publications: readonly Publication[];
  readonly sessions: readonly OpenedSession[];
}

/** What is wrong with a history, and where. */
export interface Violation {
  readonly rule: string;
  readonly detail: string;
}

export const keyName = ({ organizationId, key }: Pick<Operation, "organizationId" | "key">): string =>
  `${organizationId}/${key}`;
