/** A point in time, or a day of the calendar that has no time zone. */
export interface PointInTime {
  /** Of a day: its midnight in UTC. */
  readonly time: Date;
  readonly isDay: boolean;
}

/** Reads `2026-03-31`, an RFC 3339 time, and the words now and today, which are the time of the job. */
export function readDate(value: unknown, now: Date): PointInTime | undefined {
  if (value === "now" || value === "today") return { time: now, isDay: false };
  if (typeof value !== "string") return undefined;
  if (isDay(value)) return { time: new Date(`${value}T00:00:00Z`), isDay: true };
  return isTime(value) ? { time: new Date(value), isDay: false } : undefined;
}

/** RFC 3339 full-date of a day that exists. */
export function isDay(text: string): boolean {
  const [, year, month, day] = dayPattern.exec(text) ?? [];
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** RFC 3339 date-time of a time that exists. Leap seconds are not times that can be calculated with. */
export function isTime(text: string): boolean {
  return timePattern.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text));
}

const dayPattern = /^(\d{4})-(\d{2})-(\d{2})$/;
const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;
