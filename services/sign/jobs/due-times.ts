import { DomainError } from "#platform/errors.ts";
import type { Agreement } from "../domain/agreement.ts";
import type { Change, DecisionContext } from "../domain/change.ts";
import { expireWhenDue, warnWhenDue } from "../domain/expire.ts";
import { remindWhenDue } from "../domain/remind.ts";
import type { SignDeps } from "../rpc/deps.ts";
import { changeInJob } from "./change-in-job.ts";
import type { JobHandler } from "./job.ts";

/** Asks again those whose turn it is, and plans the next time. */
export const sendReminders = (deps: SignDeps): JobHandler => whenDue(deps, remindWhenDue);

/** Ends what was not finished in time. */
export const endExpired = (deps: SignDeps): JobHandler => whenDue(deps, expireWhenDue);

/** Tells those whose turn it is that there is not much time left. */
export const warnOfExpiry = (deps: SignDeps): JobHandler => whenDue(deps, warnWhenDue);

type Decide = (agreement: Agreement, context: DecisionContext) => Change;

/** Short: until an agreement has ended, people can still sign it. */
const maxPauseMs = 5 * 60_000;

const whenDue = (deps: SignDeps, decide: Decide): JobHandler => ({
  concurrency: 2,
  // Never given up: what has to end does so as soon as that can be, however long something else was away.
  maxAttempts: Number.POSITIVE_INFINITY,
  maxPauseMs,
  run: async (job, hold) => {
    const agreementId = String(job.payload.agreementId);
    await changeInJob(deps, job, hold, { agreementId, decide }).catch((error: unknown) => {
      // Nothing is due for what was deleted.
      if (!(error instanceof DomainError && error.code === "ENVELOPE_NOT_FOUND")) throw error;
    });
    return { kind: "done" };
  },
});
