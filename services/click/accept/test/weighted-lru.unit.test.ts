import { describe, expect, test } from "@jest/globals";
import { createWeightedLru } from "../../render/shown-keeper.ts";

describe("createWeightedLru", () => {
  test("forgets what was not used for longest when the rest weighs too much", () => {
    const cache = createWeightedLru<string>(10);
    cache.set("a", "A", 4);
    cache.set("b", "B", 4);
    expect(cache.get("a")).toBe("A");
    cache.set("c", "C", 4);
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual(["A", undefined, "C"]);
  });

  test("counts a value that takes the place of another once", () => {
    const cache = createWeightedLru<string>(10);
    for (let n = 0; n < 5; n += 1) cache.set("a", `A${n}`, 6);
    cache.set("b", "B", 4);
    expect([cache.get("a"), cache.get("b")]).toEqual(["A4", "B"]);
  });

  test("does not keep what is too heavy by itself, nor what was there before it", () => {
    const cache = createWeightedLru<string>(10);
    cache.set("a", "A", 1);
    cache.set("a", "heavy", 11);
    expect(cache.get("a")).toBeUndefined();
    cache.set("b", "B", 10);
    expect(cache.get("b")).toBe("B");
  });
});
