import { expect, test } from "@jest/globals";
import { daySeries } from "../../web/dashboard/src/pages/templates/statistics/day-series.ts";

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
