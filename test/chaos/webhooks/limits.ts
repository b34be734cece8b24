/** How long a request to a receiver may take, instead of the 15 s of the product. */
export const requestTimeoutMs = 1_000;

/** What the product promises. */
export const mostRequestsAtOnce = 4;
export const shortestRetryMs = 4_000;

/** Longer than a delivery belongs to a process that was killed, and than the first retry waits at most. */
export const leaseIsOverMs = 65_000;
