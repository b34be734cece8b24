import { DomainError } from "#platform/errors.ts";
import type { Agreement } from "../domain/agreement.ts";
import type { Change, DecisionContext } from "../domain/change.ts";
import { expireWhenDue } from "../domain/expire.ts";
import { remindWhenDue } from "../domain/remind.ts";
import type { SignDeps } from "../rpc/deps.ts";
import { changeInJob } from "./change-in-job.ts";
import type { JobHandler } from "./job.ts";

/** Asks again those whose turn it is, and plans the next time. */
export const sendReminders = (deps: SignDeps): JobHandler => whenDue(deps, remindWhenDue);

/** Ends what was not finished in time. */
export const endExpired = (deps: SignDeps): JobHandler => whenDue(deps, expireWhenDue);

type Decide = (agreement: Agreement, context: DecisionContext) => Change;

/** An hour apart in the end: for days, until somebody has seen why it does not work. */
const maxAttempts = 100;

const whenDue = (deps: SignDeps, decide: Decide): JobHandler => ({
  concurrency: 2,
  maxAttempts,
  run: async (job, hold) => {
    const agreementId = String(job.payload.agreementId);
    await changeInJob(deps, job, hold, { agreementId, decide }).catch((error: unknown) => {
      // Nothing is due for what was deleted.
      if (!(error instanceof DomainError && error.code === "ENVELOPE_NOT_FOUND")) throw error;
    });
    return { kind: "done" };
  },
});
