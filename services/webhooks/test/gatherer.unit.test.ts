import { expect, test } from "@jest/globals";
import { createGatherer } from "../deliveries/gatherer.ts";

function gather(paceMs: number, maxItems = 100) {
  const runs: (readonly number[])[] = [];
  const gatherer = createGatherer({
    ...{ maxItems, paceMs },
    run: async (items: readonly number[]) => {
      runs.push(items);
      if (items.includes(13)) throw new Error("not this one");
      return items.map((item) => item * 2);
    },
  });
  return { runs, add: gatherer.add };
}

test("what comes in one turn goes together, and everybody gets the result of their own", async () => {
  const { runs, add } = gather(0);
  expect(await Promise.all([1, 2, 3].map(add))).toEqual([2, 4, 6]);
  expect(await add(4)).toBe(8);
  expect(runs).toEqual([[1, 2, 3], [4]]);
});

test("what is more than a run takes goes with the next, whatever the pace", async () => {
  const { runs, add } = gather(5, 2);
  expect(await Promise.all([1, 2, 3, 4, 5].map(add))).toEqual([2, 4, 6, 8, 10]);
  expect(runs).toEqual([[1, 2], [3, 4], [5]]);
});

test("a run that fails fails its items, and no others", async () => {
  const { add } = gather(1);
  const settled = await Promise.allSettled([12, 13].map(add));
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await add(1)).toBe(2);
});
