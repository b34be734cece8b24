import { checkAvailability } from "./check-availability.ts";
import { checkGrants } from "./check-grants.ts";
import { checkHeaders } from "./check-headers.ts";
import { checkRecords } from "./check-records.ts";
import type { History, Observation, Tolerances, Violation } from "./history.ts";

/** Everything that is wrong with what clients were told about their budgets, and with what was counted and stored. */
export const checkBudgets = (history: History, observation: Observation, tolerances: Tolerances): Violation[] => [
  ...checkGrants(history, observation, tolerances),
  ...checkHeaders(history, tolerances),
  ...checkRecords(history, observation),
  ...checkAvailability(history, tolerances),
];
