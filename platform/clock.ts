/** The time of day. Injected everywhere so that tests decide what time it is. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

const dayMs = 86_400_000;

/** So many days of 24 hours later; null for 0 days, which means without end. */
export const daysAfter = (time: Date, days: number): Date | null =>
  days === 0 ? null : new Date(time.getTime() + days * dayMs);
