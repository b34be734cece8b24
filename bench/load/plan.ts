/** Where the number of the request belongs with leading zeros: as Base64 it stands for six bytes, none of which ends a line. */
export const eightDigits = "{number}";

/** What the load generator sends. */
export interface LoadPlan {
  /** http://host:port/path */
  readonly url: string;
  /** Paths that requests take in turn instead of the one in the URL. */
  readonly paths?: readonly string[];
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  /** Values of Authorization that requests take in turn. */
  readonly authorizations?: readonly string[];
  /** `{n}` is replaced by the number of the request, and `eightDigits` by the same in eight digits. */
  readonly body?: string;
  /** Prefix of X-Idempotency-Key; the number of the request is appended. */
  readonly keyPrefix?: string;
  /** Number of the first request; 0 when absent. */
  readonly firstNumber?: number;
  readonly connections: number;
  readonly warmupSeconds: number;
  readonly seconds: number;
  /** Absent: every connection sends as fast as it is answered. */
  readonly ratePerSecond?: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** Number of answers by status code. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly latencyMs: { readonly p50: number; readonly p90: number; readonly p99: number; readonly max: number };
  /** What the load generator itself used for these requests. */
  readonly cpuMs: number;
}
