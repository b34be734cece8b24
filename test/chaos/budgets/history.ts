/** All times are milliseconds since the beginning of the run, on a clock that never jumps. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** The four headers as they came; NaN for one that is no number, absent for one that did not come. */
export interface RateHeaders {
  readonly limit?: number;
  readonly remaining?: number;
  /** Unix seconds. */
  readonly reset?: number;
  readonly retryAfter?: number;
}

export type Outcome =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly errorCode: string;
      readonly headers: RateHeaders;
      /** Of an acceptance. */
      readonly receiptId?: string;
      /** An acceptance that was recorded by an earlier request under the same key. */
      readonly isReplay?: boolean;
    }
  /** Nobody took the connection. */
  | { readonly kind: "unsent" }
  /** No answer: it may have been served. */
  | { readonly kind: "lost" };

/** One request, from before it was sent until its answer had been read. */
export interface Call {
  /** Client and group, as the gateway names a bucket; undefined for a credential that is none. */
  readonly bucket: string | undefined;
  readonly organizationId: string;
  readonly group: string;
  readonly gateway: string;
  readonly method: string;
  /** For messages. */
  readonly path: string;
  /** The Idempotency-Key of an acceptance. */
  readonly key?: string;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly outcome: Outcome;
}

/** Something that was done to the system. `full` is when it was certainly in force, `whole` adds its begin and end. */
export interface Incident {
  readonly fault: FaultKind;
  /** The gateway it happened to; undefined when it happened to all. */
  readonly gateway: string | undefined;
  readonly whole: Interval;
  readonly full: Interval;
}

export type FaultKind =
  | "crash the database"
  | "kill a gateway"
  | "pause a gateway"
  /** Connections to the database of the limits are cut once. */
  | "cut the database off once"
  /** There is no connection to the database of the limits. */
  | "keep the database off"
  /** Its answers do not arrive. */
  | "mute the database";

/** A limit that an administrator has set: it holds for all from some moment of `setting` on. */
export interface LimitChange {
  readonly organizationId: string;
  readonly group: string;
  readonly limit: number;
  /** From the request of the administrator to its answer. */
  readonly setting: Interval;
}

export interface History {
  readonly calls: readonly Call[];
  readonly incidents: readonly Incident[];
  /** In the order of time; the first ones of a group are those that hold at the beginning. */
  readonly changes: readonly LimitChange[];
  /** What to add to a time of the run to have unix milliseconds of the database's clock. */
  readonly databaseClock: number;
  /** The same for the clock of the gateways, which no limit but that of a process by itself may follow. */
  readonly gatewayClock: number;
}

/** What is stored when the run is over. */
export interface Observation {
  /** Everything that the organizations have recorded. */
  readonly receiptIds: readonly string[];
  /** The highest counts that were seen. */
  readonly counters: readonly Counter[];
  /** Buckets that were used to prepare the run. */
  readonly otherBuckets: readonly string[];
}

export interface Counter {
  readonly bucket: string;
  /** Unix seconds at which the window ends. */
  readonly reset: number;
  readonly used: number;
}

/** What is wrong with a history, and where. */
export interface Violation {
  readonly rule: string;
  readonly detail: string;
}

/** How exact a machine can be asked to be; milliseconds. */
export interface Tolerances {
  /** A changed limit is in force everywhere so long after the administrator was answered. */
  readonly effectiveMs: number;
  /** All is well again so long after a fault. */
  readonly recoveryMs: number;
  /** How much two readings of clocks may differ. */
  readonly clockMs: number;
}

export const drillTolerances: Tolerances = { effectiveMs: 1_000, recoveryMs: 4_000, clockMs: 100 };
