import { checkAnswers, checkKinds, checkRecovery } from "./check-answers.ts";
import { checkEvents } from "./check-events.ts";
import { checkLogs } from "./check-logs.ts";
import { checkProofs } from "./check-proofs.ts";
import { checkPublications } from "./check-publications.ts";
import { checkRecords } from "./check-records.ts";
import type { History, Violation } from "./history.ts";
import type { Observation } from "./observation.ts";

/** Everything that is wrong with what clients were told, what is stored, what is proven, and what consumers learned. */
export const checkHistory = async (history: History, observation: Observation): Promise<Violation[]> => [
  ...checkAnswers(history.operations),
  ...checkKinds(history.operations),
  ...checkRecovery(history.operations),
  ...checkRecords(history.operations, observation),
  ...checkEvents(observation),
  ...checkPublications(history),
  ...checkLogs(observation.logs),
  ...(await checkProofs(history.operations, observation)),
];
