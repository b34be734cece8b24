import type { JsonObject } from "../agreement/agreement.ts";

/** Keeps one event of an agreement from becoming a flood of requests. */
const maxReceivers = 50;

/**
 * How many event receivers an agreement's subscription names, up to the limit. The webhooks service reads the
 * same members in the same order: eventNotification, then eventNotifications.
 */
export function countReceivers(subscription: JsonObject | null): number {
  if (subscription === null) return 0;
  const { eventNotification, eventNotifications } = subscription;
  const several = Array.isArray(eventNotifications) ? eventNotifications : [];
  return Math.min([eventNotification, ...several].filter(isObject).length, maxReceivers);
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
