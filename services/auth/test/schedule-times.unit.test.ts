import { describe, expect, test } from "@jest/globals";
import { nextDue, type ScheduleTimes } from "../domain/schedule-times.ts";

/** The due times after a moment, one after the other. */
function due(times: Partial<ScheduleTimes>, after: string, count: number): string[] {
  const rule = { every: "daily", day: 1, at: "00:00", timeZone: "UTC", ...times } as const;
  const found: Date[] = [];
  for (let last = new Date(after); found.length < count; found.push(last)) last = nextDue(rule, last);
  return found.map((one) => one.toISOString().replace(":00.000Z", "Z"));
}

describe("due times", () => {
  test("come each day, week or month, always after the moment itself", () => {
    expect(due({ at: "06:00" }, "2026-11-24T06:00:00Z", 2)).toEqual(["2026-11-25T06:00Z", "2026-11-26T06:00Z"]);
    expect(due({ at: "06:00" }, "2026-11-24T05:59:59.999Z", 1)).toEqual(["2026-11-24T06:00Z"]);
    expect(due({ every: "weekly", day: 7 }, "2026-11-24T00:00:00Z", 2)).toEqual([
      "2026-11-29T00:00Z",
      "2026-12-06T00:00Z",
    ]);
    expect(due({ every: "monthly", day: 31 }, "2027-12-31T00:00:00Z", 4)).toEqual([
      "2028-01-31T00:00Z",
      "2028-02-29T00:00Z",
      "2028-03-31T00:00Z",
      "2028-04-30T00:00Z",
    ]);
  });

  test("are by the clocks of the zone, once a day when these are put forward or back", () => {
    const timeZone = "Europe/Berlin";
    expect(due({ timeZone, at: "02:30" }, "2026-03-28T00:00:00Z", 3)).toEqual([
      "2026-03-28T01:30Z",
      // 02:30 is not shown on this day: it is 03:30 then.
      "2026-03-29T01:30Z",
      "2026-03-30T00:30Z",
    ]);
    expect(due({ timeZone, at: "02:30" }, "2026-10-24T00:00:00Z", 3)).toEqual([
      "2026-10-24T00:30Z",
      // Shown twice: the first time.
      "2026-10-25T00:30Z",
      "2026-10-26T01:30Z",
    ]);
    expect(due({ timeZone, at: "12:00" }, "2026-10-24T11:00:00Z", 2)).toEqual([
      "2026-10-25T11:00Z",
      "2026-10-26T11:00Z",
    ]);
  });

  test("are where clocks are far ahead, behind, put back over midnight, or skip a day", () => {
    expect(due({ timeZone: "Pacific/Kiritimati" }, "2026-11-24T09:59:00Z", 1)).toEqual(["2026-11-24T10:00Z"]);
    expect(due({ timeZone: "Pacific/Pago_Pago", at: "23:59" }, "2026-11-24T10:00:00Z", 1)).toEqual([
      "2026-11-24T10:59Z",
    ]);
    // Clocks in Cuba are put forward at midnight: the day begins at 01:00.
    expect(due({ timeZone: "America/Havana" }, "2026-03-08T00:00:00Z", 2)).toEqual([
      "2026-03-08T05:00Z",
      "2026-03-09T04:00Z",
    ]);
    const samoa = due({ timeZone: "Pacific/Apia" }, "2011-12-29T09:00:00Z", 3);
    expect(samoa).toEqual(["2011-12-29T10:00Z", "2011-12-30T10:00Z", "2011-12-31T10:00Z"]);
  });

  test("only ever go on, at random", () => {
    const seed = Date.now() % 2_147_483_647;
    let state = seed || 1;
    const random = (n: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % n;
    };
    const zones = [
      "UTC",
      "Europe/Berlin",
      "America/St_Johns",
      "Australia/Lord_Howe",
      "Asia/Kathmandu",
      "Africa/Casablanca",
    ];
    for (let round = 0; round < 200; round += 1) {
      const rule: ScheduleTimes = {
        every: (["daily", "weekly", "monthly"] as const)[random(3)] ?? "daily",
        day: 1 + random(7),
        at: `${String(random(24)).padStart(2, "0")}:${String(random(60)).padStart(2, "0")}`,
        timeZone: zones[random(zones.length)] ?? "UTC",
      };
      const after = new Date(Date.UTC(2020 + random(20), random(12), 1 + random(28), random(24), random(60)));
      const next = nextDue(rule, after);
      const most = { daily: 1, weekly: 7, monthly: 31 }[rule.every] * 86_400_000 + 3_600_000;
      const waits = next.getTime() - after.getTime();
      expect([seed, rule, after, waits > 0 && waits <= most]).toEqual([seed, rule, after, true]);
    }
  });
});
