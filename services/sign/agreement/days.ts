const dayMs = 86_400_000;

/** The time so many days earlier. */
export const daysBefore = (time: Date, days: number): Date => new Date(time.getTime() - days * dayMs);

/** The time so many days later; at least one. */
export const daysAfter = (time: Date, days: number): Date => new Date(time.getTime() + Math.max(1, days) * dayMs);
