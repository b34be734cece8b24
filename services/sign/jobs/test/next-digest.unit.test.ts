import { describe, expect, test } from "@jest/globals";
import { nextDigest } from "../../notices/notices.ts";

const next = (timeZone: string, now: string): string => nextDigest(timeZone, new Date(now)).toISOString();

describe("nextDigest", () => {
  test.each([
    ["Europe/Berlin", "2026-11-24T06:59:59Z", "2026-11-24T07:00:00.000Z"],
    ["Europe/Berlin", "2026-11-24T07:00:00Z", "2026-11-25T07:00:00.000Z"],
    ["Asia/Kathmandu", "2026-11-24T02:14:00Z", "2026-11-24T02:15:00.000Z"],
    ["Pacific/Kiritimati", "2026-11-24T17:00:00Z", "2026-11-24T18:00:00.000Z"],
    ["America/Los_Angeles", "2026-11-24T23:00:00Z", "2026-11-25T16:00:00.000Z"],
    ["", "2026-11-24T09:00:00Z", "2026-11-25T08:00:00.000Z"],
  ])("is at eight in the morning in %s after %s", (timeZone, now, due) => {
    expect(next(timeZone, now)).toBe(due);
  });

  test("stays at eight by the clocks when they are put forward and back", () => {
    expect(next("Europe/Berlin", "2026-03-28T12:00:00Z")).toBe("2026-03-29T06:00:00.000Z");
    expect(next("Europe/Berlin", "2026-10-24T12:00:00Z")).toBe("2026-10-25T07:00:00.000Z");
    expect(next("America/New_York", "2026-03-07T14:00:00Z")).toBe("2026-03-08T12:00:00.000Z");
    // Between two summaries there is always a day, however long.
    for (const zone of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo"]) {
      let at = new Date("2026-01-01T00:00:00Z");
      for (let day = 0; day < 366; day += 1) {
        const due = nextDigest(zone, at);
        if (day > 0) expect([23, 23.5, 24, 24.5, 25]).toContain((due.getTime() - at.getTime()) / 3_600_000);
        at = due;
      }
    }
  });
});
