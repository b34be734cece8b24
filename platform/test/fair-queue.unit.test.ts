import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { createFairQueue } from "../fair-queue.ts";

const anybody = { idleOwnersOnly: false };

describe("createFairQueue", () => {
  test("whoever has used least is next, whatever others have queued before", () => {
    let now = 1_000;
    const queue = createFairQueue<string>({ now: () => now });
    for (let n = 0; n < 24; n += 1) queue.add("attacker", `attack ${n}`);
    expect(queue.take(anybody)?.task).toBe("attack 0");
    expect(queue.take(anybody)?.task).toBe("attack 1");
    queue.add("victim", "wanted 0");
    queue.add("victim", "wanted 1");
    now += 2_500;
    queue.finish("attacker", 2_500);
    // The attacker still has a place.
    expect(queue.take(anybody)?.task).toBe("wanted 0");
    queue.finish("attacker", 2_500);
    queue.finish("victim", 30);
    expect(queue.take(anybody)?.task).toBe("wanted 1");
    expect(queue.take(anybody)?.task).toBe("attack 2");
  });

  test("whoever is ahead of the time has one place while others come too, and all when nobody does", () => {
    let now = 0;
    const queue = createFairQueue<string>({ now: () => now });
    for (let n = 0; n < 9; n += 1) queue.add("attacker", `attack ${n}`);
    const takeTwo = () => [queue.take(anybody)?.task, queue.take(anybody)?.task];
    expect(takeTwo()).toEqual(["attack 0", "attack 1"]);
    now = 1_000;
    queue.finish("attacker", 1_000);
    queue.finish("attacker", 1_500);
    expect(takeTwo()).toEqual(["attack 2", "attack 3"]);
    queue.finish("attacker", 0);
    queue.add("victim", "wanted");
    expect(takeTwo()).toEqual(["wanted", undefined]);
    queue.finish("victim", 30);
    queue.finish("attacker", 0);
    expect(takeTwo()).toEqual(["attack 4", undefined]);
    now += 10_001;
    expect(queue.take(anybody)?.task).toBe("attack 5");
  });

  test("an owner may be kept to few places, and rest as long as it worked, while others come in any way", () => {
    let now = 0;
    const queue = createFairQueue<string>({ now: () => now, besideOthers: 1, rest: 1 });
    for (let n = 0; n < 4; n += 1) queue.add("heavy", `heavy ${n}`);
    expect(queue.take(anybody)?.task).toBe("heavy 0");
    expect(queue.take(anybody)?.task).toBe("heavy 1");
    queue.note("other");
    queue.finish("heavy", 0);
    expect([queue.take(anybody), queue.restMs()]).toEqual([undefined, undefined]);
    now = 80;
    queue.finish("heavy", 80);
    expect([queue.take(anybody), queue.restMs()]).toEqual([undefined, 80]);
    queue.add("other", "wanted");
    expect(queue.take(anybody)?.task).toBe("wanted");
    now = 160;
    queue.remove("heavy", "heavy 2");
    expect(queue.waiting()).toBe(1);
    expect([queue.take(anybody)?.task, queue.restMs()]).toEqual(["heavy 3", undefined]);
  });

  test("the tasks of an owner keep their order, and time counts instead of tasks", () => {
    let now = 0;
    const queue = createFairQueue<string>({ now: () => now });
    for (let n = 0; n < 3; n += 1) queue.add("slow", `slow ${n}`);
    for (let n = 0; n < 30; n += 1) queue.add("quick", `quick ${n}`);
    const order: string[] = [];
    for (let next = queue.take(anybody); next !== undefined; next = queue.take(anybody)) {
      const ms = next.owner === "slow" ? 100 : 10;
      now += ms;
      queue.finish(next.owner, ms);
      order.push(next.task);
    }
    expect(order.filter((task) => task.startsWith("slow"))).toEqual(["slow 0", "slow 1", "slow 2"]);
    const between = order.indexOf("slow 2") - order.indexOf("slow 1") - 1;
    expect(between).toBeGreaterThanOrEqual(6);
    expect(between).toBeLessThanOrEqual(12);
  });

  test("who was slow while nobody else had work is behind for a minute at most", () => {
    let now = 0;
    const queue = createFairQueue<string>({ now: () => now });
    for (let n = 0; n < 100; n += 1) {
      queue.add("slow", "slow");
      queue.take(anybody);
      queue.finish("slow", 5_000);
    }
    now += 60_001;
    queue.add("other", "other");
    queue.take(anybody);
    queue.add("other", "other");
    queue.finish("other", 10);
    queue.add("slow", "slow");
    expect(queue.take(anybody)?.owner).toBe("slow");
  });

  test("a place for owners without one is given to no other", () => {
    const queue = createFairQueue<string>({ now: () => 0 });
    queue.add("a", "a0");
    queue.add("a", "a1");
    queue.take(anybody);
    expect(queue.take({ idleOwnersOnly: true })).toBeUndefined();
    queue.add("b", "b0");
    expect(queue.take({ idleOwnersOnly: true })?.task).toBe("b0");
    expect([queue.waiting(), queue.clear(), queue.waiting()]).toEqual([1, ["a1"], 0]);
  });

  test("a newcomer waits for nobody who has a place, in whatever order others came and ended", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 3 }), { maxLength: 60 }), fc.array(fc.nat({ max: 500 })), (owners, times) => {
        let now = 0;
        const queue = createFairQueue<string>({ now: () => now });
        for (const owner of owners) queue.add(`o${owner}`, "task");
        for (const ms of times) {
          const next = queue.take(anybody);
          if (next === undefined) break;
          now += ms;
          queue.finish(next.owner, ms);
        }
        const holder = queue.take(anybody);
        queue.add("newcomer", "task");
        const next = queue.take(anybody);
        const hasRunning = holder !== undefined && next?.owner === holder.owner;
        expect(hasRunning).toBe(false);
      }),
    );
  });
});
