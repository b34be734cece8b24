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

/** Something that was done to the system. */
export interface Incident {
  readonly fault: string;
  readonly at: number;
  readonly phase: "begins" | "ends";
}

/** The client that asks once more for everything when all faults are over. */
export const lastClient = "afterwards";

export interface History {
  readonly operations: readonly Operation[];
  readonly incidents: readonly Incident[];
}

/** What is wrong with a history, and where. */
export interface Violation {
  readonly rule: string;
  readonly detail: string;
}

export const keyName = ({ organizationId, key }: Pick<Operation, "organizationId" | "key">): string =>
  `${organizationId}/${key}`;
