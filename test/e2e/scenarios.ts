import type { Scenario } from "../support/system.ts";
import { concurrentAccepts } from "./accept.ts";
import { accessMatrix } from "./access-matrix.ts";
import { badBodies } from "./bad-bodies.ts";
import { clickJourneys } from "./click-journeys.ts";
import { connectMessages } from "./connect-events.ts";
import { agreementsOfOld, erasureOfUser } from "./erasure.ts";
import { evidenceKeys } from "./evidence-keys.ts";
import { evidenceAsPdf } from "./evidence-pdf.ts";
import { exportOfPerson } from "./exports.ts";
import { documentGeneration } from "./generation.ts";
import { wholeInterface } from "./interface.ts";
import { internalCallers } from "./internal-callers.ts";
import { isolationMatrix } from "./isolation-matrix.ts";
import { mainJob } from "./main-job.ts";
import { signedAssertions } from "./oauth.ts";
import { outages } from "./outages.ts";
import { peopleOfDashboard } from "./people.ts";
import { filesOfRequests } from "./request-files.ts";
import { revocation } from "./revocation.ts";
import { secretsInLogs, secretsInUse } from "./secrets-in-logs.ts";
import { manyAtOnce } from "./sign-concurrency.ts";
import { evidenceOfAgreement } from "./sign-evidence.ts";
import { statesOfTemplates } from "./states.ts";
import { traces } from "./tracing.ts";
import { webhookEvents } from "./webhook-events.ts";

/** All that one copy of the product is enough for. The later ones take processes and the database away for a while, the last ones for good. */
export const scenarios: readonly Scenario[] = [
  ...[
    agreementsOfOld,
    concurrentAccepts,
    manyAtOnce,
    filesOfRequests,
    accessMatrix,
    wholeInterface,
    signedAssertions,
    peopleOfDashboard,
  ],
  ...[isolationMatrix, statesOfTemplates, documentGeneration, erasureOfUser, exportOfPerson],
  ...[clickJourneys, badBodies, mainJob, connectMessages, webhookEvents, internalCallers, secretsInUse],
  ...[revocation, outages, evidenceAsPdf, evidenceOfAgreement, evidenceKeys],
  ...[traces, secretsInLogs],
];
