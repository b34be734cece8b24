import { describeTogether } from "../support/system.ts";
import { badBodies } from "./bad-bodies.ts";
import { clickJourneys } from "./click-journeys.ts";
import { connectMessages } from "./connect-events.ts";
import { mainJob } from "./main-job.ts";
import { outages } from "./outages.ts";
import { evidenceOfAgreement } from "./sign-evidence.ts";

// The last one takes a process away for a while.
describeTogether([clickJourneys, badBodies, mainJob, connectMessages, outages, evidenceOfAgreement]);
