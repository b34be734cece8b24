import { expect, test } from "@jest/globals";
import { dayIn, hoursBetween } from "../routes/dashboard/organization.ts";

const day = (timeZone: string, now: string) => {
  const { date, from } = dayIn(timeZone, new Date(now));
  return [date, from.toISOString()];
};

test("a day begins at midnight where somebody is", () => {
  expect(day("UTC", "2026-11-21T23:59:59.999Z")).toEqual(["2026-11-21", "2026-11-21T00:00:00.000Z"]);
  expect(day("UTC", "2026-11-21T00:00:00Z")).toEqual(["2026-11-21", "2026-11-21T00:00:00.000Z"]);
  expect(day("Europe/Berlin", "2026-11-21T23:30:00Z")).toEqual(["2026-11-22", "2026-11-21T23:00:00.000Z"]);
  expect(day("Asia/Kolkata", "2026-11-21T12:00:00Z")).toEqual(["2026-11-21", "2026-11-20T18:30:00.000Z"]);
  expect(day("Pacific/Kiritimati", "2026-11-21T12:00:00Z")).toEqual(["2026-11-22", "2026-11-21T10:00:00.000Z"]);
});

test("also when the clock is set on that day, even at midnight", () => {
  // 25 hours, the last of them.
  expect(day("Europe/Berlin", "2026-10-25T22:59:59Z")).toEqual(["2026-10-25", "2026-10-24T22:00:00.000Z"]);
  // In Cairo there was no midnight on this day: it began at one o'clock.
  expect(day("Africa/Cairo", "2026-04-24T12:00:00Z")).toEqual(["2026-04-24", "2026-04-23T22:00:00.000Z"]);
});

test("its hours are those of UTC that have begun within it", () => {
  const { from } = dayIn("Asia/Kolkata", new Date("2026-11-20T21:00:00Z"));
  const hours = hoursBetween(from, new Date("2026-11-20T21:00:00Z"));
  expect(hours.map((hour) => hour.toISOString().slice(11, 16))).toEqual(["19:00", "20:00", "21:00"]);
});

test.each(["", "Nowhere/Else", "\0", "+01:00", "A".repeat(65)])("%j is no time zone", (timeZone) => {
  expect(() => dayIn(timeZone, new Date())).toThrow("is invalid");
});
