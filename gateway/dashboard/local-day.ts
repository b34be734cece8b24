import { DomainError } from "#platform/errors.ts";

/** A calendar day in a time zone. */
export interface LocalDay {
  /** YYYY-MM-DD. */
  readonly date: string;
  /** Its first moment. */
  readonly from: Date;
}

/** More than the longest possible day, when clocks are set back. */
const longestMs = 26 * 60 * 60 * 1_000;
const second = 1_000;

/** The current day in a time zone. Throws VALIDATION_FAILED for an invalid zone. */
export function dayIn(timeZone: string, now: Date): LocalDay {
  const dates = datesOf(timeZone);
  const date = dates.format(now);
  // Clock changes differ by zone and year, so the start of the day is found by binary search.
  let end = Math.floor(now.getTime() / second);
  let before = end - longestMs / second;
  while (end - before > 1) {
    const middle = Math.floor((before + end) / 2);
    if (dates.format(middle * second) === date) end = middle;
    else before = middle;
  }
  return { date, from: new Date(end * second) };
}

const hourMs = 60 * 60 * 1_000;

/** The hours of UTC that have begun between two moments. */
export function hoursBetween(from: Date, to: Date): Date[] {
  const hours: Date[] = [];
  for (let at = Math.ceil(from.getTime() / hourMs) * hourMs; at <= to.getTime(); at += hourMs) hours.push(new Date(at));
  return hours;
}

const zonePattern = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

function datesOf(timeZone: string): Intl.DateTimeFormat {
  try {
    // Writes dates as ISO 8601 does.
    if (timeZone.length <= 64 && zonePattern.test(timeZone)) return new Intl.DateTimeFormat("sv-SE", { timeZone });
  } catch {
    // Said below.
  }
  const message = "must be a time zone such as Europe/Berlin";
  throw new DomainError("VALIDATION_FAILED", { details: [{ field: "timeZone", code: "INVALID_TIME_ZONE", message }] });
}
