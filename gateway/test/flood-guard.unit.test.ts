import { describe, expect, test } from "@jest/globals";
import { createAddresses, createFloodGuard, networkOf } from "../limits/flood-guard.ts";

function guardOf(requests: number) {
  const clock = { ms: 1_000 };
  const guard = createFloodGuard({ requests, monotonic: () => clock.ms, now: () => 1_800_000_000_000 + clock.ms });
  const takes = (count: number, address = "192.0.2.1") =>
    Array.from({ length: count }, () => guard.take(address) === undefined).filter(Boolean).length;
  return { clock, guard, takes };
}

describe("the flood guard", () => {
  test("lets an address send so many requests at once and no more", () => {
    const { guard, takes } = guardOf(600);
    expect(takes(1_000)).toBe(600);
    expect(guard.take("192.0.2.1")).toEqual({
      granted: false,
      limit: 600,
      remaining: 0,
      resetAt: 1_800_000_002,
      retryAfterSeconds: 1,
    });
  });

  test("is refilled all the time", () => {
    const { clock, takes } = guardOf(600);
    takes(600);
    clock.ms += 100;
    expect(takes(10)).toBe(1);
    clock.ms += 30_000;
    expect(takes(1_000)).toBe(300);
    clock.ms += 3_600_000;
    expect(takes(1_000)).toBe(600);
  });

  test("does not count what it refuses", () => {
    const { clock, takes } = guardOf(60);
    takes(60);
    takes(10_000);
    clock.ms += 1_000;
    expect(takes(10)).toBe(1);
  });

  test("does not mix addresses up", () => {
    const { takes } = guardOf(10);
    expect(takes(20, "192.0.2.1")).toBe(10);
    expect(takes(20, "192.0.2.2")).toBe(10);
    expect(takes(20, "2001:db8:0:1::1")).toBe(10);
    expect(takes(20, "2001:db8:0:2::1")).toBe(10);
  });

  test("counts the addresses of one IPv6 /64 together, and IPv4 in IPv6 as IPv4", () => {
    const { takes } = guardOf(10);
    expect(takes(6, "2001:db8::1") + takes(6, "2001:DB8:0:0:ffff::2")).toBe(10);
    expect(takes(6, "::ffff:192.0.2.9") + takes(6, "192.0.2.9")).toBe(10);
  });

  test("makes a guess at credentials cost 20", () => {
    const { guard, takes } = guardOf(100);
    for (let n = 0; n < 4; n += 1) {
      expect(takes(1)).toBe(1);
      guard.takeForGuess("192.0.2.1");
    }
    expect(takes(100)).toBe(20);
  });

  test("remembers what an address owes for guesses, so that they stay dear when nothing is left", () => {
    const { clock, guard, takes } = guardOf(60);
    takes(59);
    expect(takes(1)).toBe(1);
    guard.takeForGuess("192.0.2.1");
    clock.ms += 19_000;
    expect(takes(1)).toBe(0);
    clock.ms += 1_000;
    expect(takes(2)).toBe(1);
  });

  test.each([1, 2, 19, 600, 300_000])("with %i requests never blocks for longer than 60 s", (requests) => {
    const { clock, guard, takes } = guardOf(requests);
    takes(requests);
    for (let n = 0; n < requests + 100; n += 1) guard.takeForGuess("192.0.2.1");
    const refusal = guard.take("192.0.2.1");
    expect(refusal?.retryAfterSeconds).toBe(60);
    clock.ms += 60_001;
    expect(takes(1)).toBe(1);
  });

  test.each([1, 7, 300_000])("with %i requests is open again after the seconds that it tells", (requests) => {
    const { clock, guard, takes } = guardOf(requests);
    takes(requests);
    const { retryAfterSeconds = 0 } = guard.take("192.0.2.1") ?? {};
    expect(retryAfterSeconds).toBeGreaterThanOrEqual(1);
    clock.ms += retryAfterSeconds * 1_000 + 1;
    expect(takes(1)).toBe(1);
  });

  test("is off with 0", () => {
    const { guard, takes } = guardOf(0);
    guard.takeForGuess("192.0.2.1");
    expect(takes(10_000)).toBe(10_000);
  });

  test("forgets the least recently used of 100,001 addresses, and no other", () => {
    const { guard, takes } = guardOf(2);
    const address = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
    for (let n = 0; n < 100_000; n += 1) takes(2, address(n));
    // The first one is used again, so the second one is now the oldest.
    expect(guard.take(address(0))).toBeDefined();
    takes(2, address(100_000));
    for (const n of [0, 2, 3, 50_000, 99_999, 100_000]) expect(guard.take(address(n))).toBeDefined();
    expect(guard.take(address(1))).toBeUndefined();
  });
});

describe("the addresses", () => {
  test("never grow beyond their number, whatever comes in which order", () => {
    const addresses = createAddresses(3);
    const made = (network: string, tokens: number) => addresses.use(network, tokens, 0).tokens;
    for (const network of ["a", "b", "c", "a", "c", "b", "d"]) made(network, 1);
    expect(addresses.size).toBe(3);
    expect(["c", "b", "d"].map((network) => made(network, 2))).toEqual([1, 1, 1]);
    expect(made("a", 2)).toBe(2);
    expect(made("c", 3)).toBe(3);
    expect(addresses.size).toBe(3);
  });
});

describe("the network of an address", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:c000:0201", "192.0.2.1"],
    ["0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:0DB8:0001:0002::", "2001:db8:1:2"],
    ["2001:db8::5:6", "2001:db8:0:0"],
    ["2001:db8::3:4:5:6:7", "2001:db8:0:3"],
    ["::1", "0:0:0:0"],
    ["::", "0:0:0:0"],
    ["64:ff9b::192.0.2.1", "64:ff9b:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
  ])("%s is %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
