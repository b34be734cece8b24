import type { SignDeps } from "../rpc/deps.ts";
import { sendBulkCopies } from "./bulk-copy.ts";
import { completeAgreements } from "./completion.ts";
import { endExpired, sendReminders } from "./due-times.ts";
import type { JobLoopDeps } from "./job-loop.ts";
import { sendMails } from "./mail.ts";

/** Who does the work of each kind. */
export const jobHandlers = (deps: SignDeps): JobLoopDeps["handlers"] => ({
  "bulk-copy": sendBulkCopies(deps),
  mail: sendMails(deps),
  reminder: sendReminders(deps),
  expiry: endExpired(deps),
  // Without a sealer the work waits for a process that has one.
  ...(deps.sealer === undefined ? {} : { completion: completeAgreements({ ...deps, sealer: deps.sealer }) }),
});
