const maxAttempts = 4;

/** Deadlock and serialization failure: nothing was written, and the same work will find its way the next time. */
const retriedStates: readonly unknown[] = ["40P01", "40001"];

/** Does work that is one transaction, again when it collided with another one. */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === maxAttempts || !retriedStates.includes((error as { code?: unknown }).code)) throw error;
    }
  }
}
