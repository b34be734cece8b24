/** One budget: a client's requests of one group. */
export interface Bucket {
  readonly key: string;
  /** Requests per window. */
  readonly limit: number;
}

/** The answer to one request, and what its rate-limit headers say. */
export interface Grant {
  readonly granted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds at which the window ends. */
  readonly resetAt: number;
  /** Whole seconds until then, at least 1. */
  readonly retryAfterSeconds: number;
  /** Of the organization that was refused, where it is known. */
  readonly plan?: string | undefined;
}

/** Seconds as Retry-After says them: never 0, which would mean at once. */
export const wholeSeconds = (seconds: number): number => Math.max(1, Math.ceil(seconds));
