import type { JsonObject } from "../agreement/agreement.ts";

/** What one copy of a bulk list changes of the agreement that is sent: as it was given, and checked when it is sent. */
export type BulkCopy = JsonObject;

export interface BulkList {
  readonly id: string;
  readonly name: string;
  readonly copies: readonly BulkCopy[];
  readonly createdAt: Date;
}

/** The sending of a list. */
export interface BulkBatch {
  readonly id: string;
  readonly listId: string;
  readonly name: string;
  /** The draft or template that is sent. */
  readonly sourceId: string;
  /** As the list had them when it was sent. */
  readonly copies: readonly BulkCopy[];
  readonly total: number;
  readonly sent: number;
  readonly failed: number;
  readonly failures: readonly BulkFailure[];
  readonly createdBy: string;
  readonly submittedAt: Date;
  readonly endedAt: Date | null;
}

/** A copy that could not be sent, and why. */
export interface BulkFailure {
  readonly index: number;
  readonly errorCode: string;
  readonly message: string;
}
