import { describe, expect, test } from "@jest/globals";
import { type BodyBudgetLimits, type BodyRoom, bodyBudgetLimits, createBodyBudget } from "../http/body-budget.ts";

const mib = 1024 * 1024;
const limits: BodyBudgetLimits = {
  maxBytes: 10 * mib,
  maxOwnerBytes: 6 * mib,
  maxOwnerBodies: 2,
  countedBytes: 2 * mib,
  stallMs: 1_000,
};

function setUp() {
  const budget = createBodyBudget(limits);
  const take = (owner: string, bytes: number): BodyRoom | undefined => {
    const room = budget.roomFor(owner);
    return room.take(bytes) ? room : undefined;
  };
  return { budget, take };
}

describe("the budget of large bodies", () => {
  test("is never exceeded by all together, and what is released is there again", () => {
    const { take } = setUp();
    const rooms = ["a", "b", "c"].map((owner) => take(owner, 3 * mib));
    expect(rooms).not.toContain(undefined);
    expect(take("d", mib + 1)).toBeUndefined();
    expect(take("d", mib)).toBeDefined();
    rooms[0]?.release();
    expect(take("d", 3 * mib)).toBeDefined();
  });

  test("leaves something of its bytes to other owners", () => {
    const { take } = setUp();
    for (let n = 0; n < 6; n += 1) expect(take("a", mib)).toBeDefined();
    expect(take("a", mib)).toBeUndefined();
    expect(take("b", 4 * mib)).toBeDefined();
  });

  test("has two of the largest for an owner at once", () => {
    const { take } = setUp();
    const first = take("a", 2 * mib + 1);
    expect(take("a", 2 * mib + 1)).toBeDefined();
    expect(take("a", 2 * mib + 1)).toBeUndefined();
    expect(take("a", mib)).toBeDefined();
    first?.release();
    expect(take("a", 2 * mib + 1)).toBeDefined();
  });

  test("always has room for what is small, which takes nothing", () => {
    const { take } = setUp();
    for (const owner of ["a", "b"]) expect(take(owner, 5 * mib)).toBeDefined();
    expect(take("c", 262_145)).toBeUndefined();
    for (let n = 0; n < 100; n += 1) expect(take("a", 262_144)).toBeDefined();
  });

  test("gets back what a body turned out not to need", () => {
    const { take } = setUp();
    const rooms = [take("a", 3 * mib), take("a", 3 * mib)];
    expect(take("a", mib)).toBeUndefined();
    for (const room of rooms) room?.shrinkTo(10);
    expect([take("a", 3 * mib), take("a", 3 * mib)]).not.toContain(undefined);
  });

  test("takes back nothing twice, and nothing that was refused", () => {
    const { budget, take } = setUp();
    const first = take("a", 6 * mib);
    const refused = budget.roomFor("a");
    expect(refused.take(mib)).toBe(false);
    refused.release();
    expect(take("a", mib)).toBeUndefined();
    for (let n = 0; n < 3; n += 1) first?.release();
    expect(take("a", 6 * mib)).toBeDefined();
    expect(take("a", mib)).toBeUndefined();
  });

  test("in production is what docs/hardening.md tells", () => {
    expect(bodyBudgetLimits).toEqual({
      maxBytes: 64 * mib,
      maxOwnerBytes: 32 * mib,
      maxOwnerBodies: 2,
      countedBytes: 2 * mib,
      stallMs: 10_000,
    });
  });
});
