import { expect, test } from "@jest/globals";
import { daySeries } from "../../web/dashboard/src/pages/templates/statistics/day-series.ts";
import { localOf, momentsOf } from "../../web/dashboard/src/ui/local-time.ts";

const on = (date: string, acceptances = 1, declines = 0) => ({ date, acceptances, declines });
const today = "2026-11-21";

test("days without anything are in the series too, up to today", () => {
  const { step, points } = daySeries([on("2026-11-17", 2), on("2026-11-19", 1, 3)], { today });
  expect(step).toBe("day");
  expect(points.map(({ date, acceptances, declines }) => [date.slice(8), acceptances, declines])).toEqual([
    ["17", 2, 0],
    ["18", 0, 0],
    ["19", 1, 3],
    ["20", 0, 0],
    ["21", 0, 0],
  ]);
  const chosen = daySeries([on("2026-11-17")], { to: "2026-11-18", today });
  expect(chosen.points.map(({ date }) => date)).toEqual(["2026-11-17", "2026-11-18"]);
  expect(daySeries([], { today }).points).toEqual([]);
});

test("many days are weeks that begin on Monday, and very many are months; nothing is lost", () => {
  const weeks = daySeries([on("2026-06-03", 5), on("2026-11-20", 7, 1)], { today });
  expect([weeks.step, weeks.points[0], weeks.points.at(-1)]).toEqual([
    "week",
    on("2026-06-01", 5),
    on("2026-11-16", 7, 1),
  ]);
  expect(weeks.points).toHaveLength(25);
  const months = daySeries([on("2024-01-31", 5), on("2024-03-01", 2), on("2026-11-20", 7)], { today });
  expect([months.step, months.points.length]).toEqual(["month", 35]);
  expect(months.points.slice(0, 3)).toEqual([on("2024-01-01", 5), on("2024-02-01", 0), on("2024-03-01", 2)]);
});

test.each([
  ["an ordinary time", "Europe/Berlin", "2027-07-01T12:00", ["2027-07-01T10:00"]],
  ["a time that is left out", "Europe/Berlin", "2027-03-28T02:30", []],
  ["the last before it", "Europe/Berlin", "2027-03-28T01:59", ["2027-03-28T00:59"]],
  ["the first after it", "Europe/Berlin", "2027-03-28T03:00", ["2027-03-28T01:00"]],
  ["a time that comes twice", "Europe/Berlin", "2027-10-31T02:30", ["2027-10-31T00:30", "2027-10-31T01:30"]],
  ["the first that comes once again", "Europe/Berlin", "2027-10-31T03:00", ["2027-10-31T02:00"]],
  ["one west of UTC that is left out", "America/New_York", "2027-03-14T02:15", []],
  [
    "one west of UTC that comes twice",
    "America/New_York",
    "2027-11-07T01:15",
    ["2027-11-07T05:15", "2027-11-07T06:15"],
  ],
  [
    "half an hour that comes twice",
    "Australia/Lord_Howe",
    "2027-04-04T01:45",
    ["2027-04-03T14:45", "2027-04-03T15:15"],
  ],
  ["half an hour that is left out", "Australia/Lord_Howe", "2027-10-03T02:15", []],
  ["a zone without summer time", "Asia/Kolkata", "2027-03-28T02:30", ["2027-03-27T21:00"]],
  ["a time with seconds", "Asia/Kolkata", "2027-03-28T02:30:05", ["2027-03-27T21:00"]],
  ["what is no time", "Europe/Berlin", "2027-03-28", []],
])("the moments of %s on the clocks of %s", (_title, zone, local, moments) => {
  const found = momentsOf(local, zone);
  expect(found.map((moment) => moment.toISOString().slice(0, 16))).toEqual(moments);
  for (const moment of found) expect(localOf(moment, zone)).toBe(local.slice(0, 16));
});
