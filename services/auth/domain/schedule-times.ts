import { dayMs, momentOf, offsetOf } from "#platform/zone-time.ts";

/** When something is done again and again, by the clocks of a place. */
export interface ScheduleTimes {
  readonly every: "daily" | "weekly" | "monthly";
  /** Of the week from 1 for Monday, or of the month: the last one where the month is shorter. */
  readonly day: number;
  /** HH:MM */
  readonly at: string;
  /** IANA. */
  readonly timeZone: string;
}

/**
 * The first due time after a moment. Each day that the rule names has one: where clocks are put forward over it, it comes
 * as much later; where they show it twice, the first time counts.
 */
export function nextDue({ every, day, at, timeZone }: ScheduleTimes, after: Date): Date {
  const [hours = 0, minutes = 0] = at.split(":").map(Number);
  const shown = after.getTime() + offsetOf(timeZone, after.getTime());
  const today = Math.floor(shown / dayMs);
  // Two months have every day of a rule, and a day more or less is what time zones differ by.
  for (let date = today - 1; date < today + 70; date += 1) {
    if (!isDay({ every, day }, new Date(date * dayMs))) continue;
    const due = momentOf(timeZone, date * dayMs + (hours * 60 + minutes) * 60_000);
    if (due > after.getTime()) return new Date(due);
  }
  throw new Error(`nothing is due in ${timeZone} on day ${day}`);
}

function isDay({ every, day }: Pick<ScheduleTimes, "every" | "day">, date: Date): boolean {
  if (every === "daily") return true;
  if (every === "weekly") return (date.getUTCDay() || 7) === day;
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return date.getUTCDate() === Math.min(day, last);
}
