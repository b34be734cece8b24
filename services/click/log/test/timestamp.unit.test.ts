import { describe, expect, test } from "@jest/globals";
import { parseTimestamp } from "../../accept/accept-body.ts";

describe("parseTimestamp", () => {
  test.each([
    ["2026-11-20T17:00:00Z", "2026-11-20T17:00:00.000Z"],
    ["2026-11-20t17:00:00.123456789z", "2026-11-20T17:00:00.123Z"],
    ["2026-11-20T17:00:00.5+02:00", "2026-11-20T15:00:00.500Z"],
    ["2028-02-29T00:00:00Z", "2028-02-29T00:00:00.000Z"],
  ])("reads %s", (text, expected) => {
    expect(parseTimestamp(text)?.toISOString()).toBe(expected);
  });
  test.each([
    "2026-02-30T00:00:00Z",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-11-20T25:00:00Z",
    "2026-11-20 17:00:00Z",
    "2026-11-20T17:00:00",
    "2026-11-20",
    "",
    `2026-11-20T17:00:00.${"1".repeat(100)}Z`,
  ])("refuses %s", (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});
