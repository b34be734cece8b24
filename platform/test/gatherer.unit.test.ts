import { describe, expect, test } from "@jest/globals";
import { createGatherer } from "../gatherer.ts";
import { expectDomainError } from "../testing/expect-domain-error.ts";

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

describe("a gatherer that starts at once", () => {
  /** One whose runs end when the test says so. */
  const gated = (maxWaiting = 100) => {
    const batches: number[][] = [];
    const gates: (() => void)[] = [];
    const gatherer = createGatherer<number, number>({
      startsAtOnce: true,
      maxItems: 3,
      maxInFlight: 2,
      maxWaiting,
      run: async (items) => {
        batches.push([...items]);
        await new Promise<void>((resolve) => gates.push(resolve));
        return items.map((item) => item * 10);
      },
    });
    return { gatherer, batches, gates };
  };

  test("sends what finds a free place at once and gathers the rest", async () => {
    const { gatherer, batches, gates } = gated();
    const results = [1, 2, 3, 4, 5, 6].flatMap((item) => gatherer.addAll([item]));
    expect(batches).toEqual([[1], [2]]);
    gates[0]?.();
    await results[0];
    await Promise.resolve();
    expect(batches).toEqual([[1], [2], [3, 4, 5]]);
    gates[1]?.();
    await results[1];
    await Promise.resolve();
    expect(batches.at(-1)).toEqual([6]);
    for (const open of gates) open();
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50, 60]);
  });
  test("refuses at once what comes when too many wait", async () => {
    const { gatherer, gates } = gated(2);
    const results = [1, 2, 3, 4].flatMap((item) => gatherer.addAll([item]));
    await expectDomainError(gatherer.add(5), "SERVICE_UNAVAILABLE");
    for (const open of gates) open();
    await results[0];
    for (const open of gates) open();
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40]);
  });
  test("a batch that fails fails its items and frees its place", async () => {
    let fail = true;
    const gatherer = createGatherer<number, number>({
      startsAtOnce: true,
      maxItems: 2,
      maxInFlight: 1,
      maxWaiting: 10,
      run: async (items) => {
        if (fail) throw new Error("broken");
        return items;
      },
    });
    await expect(Promise.all(gatherer.addAll([1, 2]))).rejects.toThrow("broken");
    fail = false;
    expect(await Promise.all(gatherer.addAll([3]))).toEqual([3]);
  });
});
