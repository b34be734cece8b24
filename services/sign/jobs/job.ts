import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { JsonObject } from "../domain/agreement.ts";
import type { JobKind } from "../domain/change.ts";

/** Work that is being done. */
export interface Job {
  readonly orgId: OrgId;
  readonly id: string;
  readonly kind: JobKind;
  readonly key: string;
  readonly agreementId: string | null;
  readonly payload: JsonObject;
  /** Of the request that asked for it. */
  readonly requestId: string;
  readonly traceparent: string;
  readonly createdAt: Date;
  /** How often it has been begun, this time included. */
  readonly attempts: number;
}

/** What came of a job. */
export type JobOutcome =
  /** There is nothing left to do. */
  | { readonly kind: "done" }
  /** It has not failed, but is to be done again. */
  | { readonly kind: "again"; readonly runAt: Date };

/** Does the work of one kind. It may be begun again after it was killed anywhere: whatever it changes, it changes once. */
export interface JobHandler {
  /** Of this kind at once in one process. */
  readonly concurrency: number;
  /** A job that has failed so often stays for people to look at. */
  readonly maxAttempts: number;
  /** Between two attempts at most; an hour when absent. */
  readonly maxPauseMs?: number;
  /** Rejects when it could not be done; it is then done again later. The signal is aborted when the process stops. */
  run(job: Job, hold: Hold, signal: AbortSignal): Promise<JobOutcome>;
}

/** The hold of this process on a job. */
export interface Hold {
  /**
   * Removes the job in the transaction of its last effect: both happen or neither, and only for whoever still holds the
   * job. Rejects when the hold was lost, which spoils the transaction.
   */
  endIn(client: pg.PoolClient): Promise<void>;
}
