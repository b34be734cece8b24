/** What is counted by the hour. */
export const hourCounters = [
  "sessionsCreated",
  "sessionsPresented",
  "sessionsAccepted",
  "sessionsCompleted",
  "sessionsDeclined",
  "sessionsExpired",
  "sessionsCancelled",
  "sessionsUnanswered",
  "acceptedDirect",
  "acceptedWithSession",
  "declines",
  "withdrawals",
  "renders",
] as const;

export type HourCounter = (typeof hourCounters)[number];
export type HourCounts = Record<HourCounter, number>;
