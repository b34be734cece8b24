import type { JsonObject } from "../agreement/agreement.ts";

/** More of them would make one event of an agreement into a flood. */
const maxReceivers = 50;

/**
 * How many receivers of its events an agreement itself names, the first of them at most. Whoever delivers the events
 * reads the same members in the same order: eventNotification, then eventNotifications.
 */
export function countReceivers(subscription: JsonObject | null): number {
  if (subscription === null) return 0;
  const { eventNotification, eventNotifications } = subscription;
  const several = Array.isArray(eventNotifications) ? eventNotifications : [];
  return Math.min([eventNotification, ...several].filter(isObject).length, maxReceivers);
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
