import type { SignDeps } from "../rpc/deps.ts";
import { sendBulkCopies } from "./bulk-copy.ts";
import { completeAgreements } from "./completion.ts";
import { endExpired, sendReminders, warnOfExpiry } from "./due-times.ts";
import { enterIntoLog } from "./evidence.ts";
import type { JobLoopDeps } from "./job-loop.ts";
import { sendMails } from "./mail.ts";

/** Who does the work of each kind. */
export const jobHandlers = (deps: SignDeps): JobLoopDeps["handlers"] => ({
  "bulk-copy": sendBulkCopies(deps),
  evidence: enterIntoLog(deps),
  mail: sendMails(deps),
  reminder: sendReminders(deps),
  expiry: endExpired(deps),
  "expiry-warning": warnOfExpiry(deps),
  // Without a sealer the work waits for a process that has one.
  ...(deps.sealer === undefined ? {} : { completion: completeAgreements({ ...deps, sealer: deps.sealer }) }),
});
