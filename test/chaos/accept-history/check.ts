import { checkAnswers, checkKinds, checkRecovery } from "./check-answers.ts";
import { checkEvents } from "./check-events.ts";
import { checkLogs } from "./check-logs.ts";
import { checkProofs } from "./check-proofs.ts";
import { checkRecords } from "./check-records.ts";
import type { History, Violation } from "./history.ts";
import type { Observation } from "./observation.ts";

/** Everything that is wrong with what clients were told, what is stored, what is proven, and what consumers learned. */
export const checkHistory = async ({ operations }: History, observation: Observation): Promise<Violation[]> => [
  ...checkAnswers(operations),
  ...checkKinds(operations),
  ...checkRecovery(operations),
  ...checkRecords(operations, observation),
  ...checkEvents(observation),
  ...checkLogs(observation.logs),
  ...(await checkProofs(operations, observation)),
];
