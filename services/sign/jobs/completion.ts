import { isOutage } from "#platform/outage.ts";
import { type CompletionDeps, completeAgreement } from "../completion/complete-agreement.ts";
import type { JobHandler } from "./job.ts";

/** Seals what everybody has signed. It is never given up: people have signed, so it has to be done some day. */
export const completeAgreements = (deps: CompletionDeps): JobHandler => ({
  concurrency: 2,
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async ({ orgId, key, requestId, traceparent }, hold, stopping) => {
    const caller = { orgId, requestId, traceparent };
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(deadlineMs)]);
    try {
      await unlessAborted(
        signal,
        completeAgreement(deps, caller, key, (client) => hold.endIn(client), signal),
      );
      return { kind: "done" };
    } catch (error) {
      // Another process may have it at once.
      if (stopping.aborted) return { kind: "again", runAt: deps.clock.now() };
      if (!isOutage(error)) throw error;
      const { message, cause } = error;
      deps.logger.warn({ agreementId: key, requestId, err: cause ?? message }, "a completion waits for what it needs");
      return { kind: "again", runAt: new Date(deps.clock.now().getTime() + outagePauseMs) };
    }
  },
});

/** Something never answers; a hundred large documents take half of that. */
const deadlineMs = 5 * 60_000;

/** Short, so that what has waited for another service is done soon after it is back. */
const outagePauseMs = 3_000;

/** What goes on regardless changes nothing: the hold on the job is lost by then. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
    work.catch(() => {});
  }
}
