import { checkDeliveries } from "./check-deliveries.ts";
import { checkDisabled } from "./check-disabled.ts";
import { checkPace } from "./check-pace.ts";
import { checkRequests } from "./check-requests.ts";
import type { History } from "./history.ts";

/** What is wrong; nothing, when the promises to receivers were kept. */
export const checkHistory = (history: History): string[] => [
  ...checkRequests(history),
  ...checkDeliveries(history),
  ...checkPace(history),
  ...checkDisabled(history),
];
