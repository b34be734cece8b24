import type { Scenario } from "../support/system.ts";
import { concurrentAccepts } from "./accept.ts";
import { accessMatrix } from "./access-matrix.ts";
import { badBodies } from "./bad-bodies.ts";
import { clickJourneys } from "./click-journeys.ts";
import { connectMessages } from "./connect-events.ts";
import { erasureOfUser } from "./erasure.ts";
import { evidenceAsPdf } from "./evidence-pdf.ts";
import { documentGeneration } from "./generation.ts";
import { wholeInterface } from "./interface.ts";
import { isolationMatrix } from "./isolation-matrix.ts";
import { mainJob } from "./main-job.ts";
import { signedAssertions } from "./oauth.ts";
import { outages } from "./outages.ts";
import { peopleOfDashboard } from "./people.ts";
import { filesOfRequests } from "./request-files.ts";
import { revocation } from "./revocation.ts";
import { manyAtOnce } from "./sign-concurrency.ts";
import { evidenceOfAgreement } from "./sign-evidence.ts";
import { statesOfTemplates } from "./states.ts";

/** All that one copy of the product is enough for. The last ones take processes and the database away for a while. */
export const scenarios: readonly Scenario[] = [
  ...[
    concurrentAccepts,
    manyAtOnce,
    filesOfRequests,
    accessMatrix,
    wholeInterface,
    signedAssertions,
    peopleOfDashboard,
  ],
  ...[isolationMatrix, statesOfTemplates, documentGeneration, erasureOfUser],
  ...[clickJourneys, badBodies, mainJob, connectMessages],
  ...[revocation, outages, evidenceAsPdf, evidenceOfAgreement],
];
