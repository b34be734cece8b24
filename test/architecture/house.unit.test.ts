import { describe, expect, test } from "@jest/globals";
import { circles, median, sourceFiles } from "./house.ts";

const files = sourceFiles();

describe("the house", () => {
  test("has no more rooms than a person can keep in mind, and none too small to be one", () => {
    expect(files.length).toBeGreaterThan(1000);
    expect(files.length).toBeLessThanOrEqual(1500);
    expect(median(files)).toBeGreaterThanOrEqual(80);
    expect(median(files)).toBeLessThanOrEqual(120);
  });

  test("has no circle of imports, not of types either", () => {
    expect(circles(files)).toEqual([]);
  });

  test("circles are found through several files, and once", () => {
    const file = (path: string, ...imports: string[]) => ({ path, lines: 1, imports });
    const made = [file("a", "b"), file("b", "c", "d"), file("c", "a"), file("d", "c"), file("e", "a"), file("f")];
    expect(circles(made)).toEqual([["a", "b", "c", "d"]]);
  });
});
