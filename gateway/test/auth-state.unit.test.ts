import { describe, expect, jest, test } from "@jest/globals";
import { errors, exportJWK, generateKeyPair } from "jose";
import { defaultLimits } from "#api/organizations.ts";
import type { OrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { createChangePoller } from "../auth/change-poller.ts";
import { createExpiringCache, createKeySet } from "../auth/key-set.ts";
import { createOrganizationLimits } from "../auth/organization-limits.ts";
import type { Principal } from "../auth/principal.ts";
import { createRevocations } from "../auth/revocations.ts";
import { createReadinessCheck } from "../readiness.ts";

const logger = createLogger("test", "silent");
const orgId = "0190a000-0000-7000-8000-00000000000a" as OrgId;

describe("expiring cache", () => {
  const createAt = (maxEntries: number) => {
    const time = { now: 0 };
    return { time, cache: createExpiringCache<string>({ now: () => new Date(time.now) }, maxEntries) };
  };

  test("forgets an entry when its time is over", () => {
    const { time, cache } = createAt(10);
    cache.set("a", "A", 100);
    time.now = 99;
    expect(cache.get("a")).toBe("A");
    time.now = 100;
    expect(cache.get("a")).toBeUndefined();
  });

  test("does not keep what is over already", () => {
    const { time, cache } = createAt(10);
    time.now = 100;
    cache.set("a", "A", 100);
    time.now = 0;
    expect(cache.get("a")).toBeUndefined();
  });

  test("makes room by forgetting what was not used for longest", () => {
    const { cache } = createAt(2);
    cache.set("a", "A", 100);
    cache.set("b", "B", 100);
    cache.get("a");
    cache.set("c", "C", 100);
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual(["A", undefined, "C"]);
  });
});

describe("revocations", () => {
  const principal = (clientId: string, tokenId?: string): Principal => ({
    orgId,
    clientId,
    tokenId,
    scopes: new Set(),
  });

  test("a client, a key and a single token can be revoked", () => {
    const revocations = createRevocations(() => 0);
    revocations.add("client");
    revocations.add("jti");
    expect(revocations.isRevoked(principal("client", "other"))).toBe(true);
    expect(revocations.isRevoked(principal("other", "jti"))).toBe(true);
    expect(revocations.isRevoked(principal("other", "another"))).toBe(false);
    expect(revocations.isRevoked(principal("other"))).toBe(false);
  });

  test("what was revoked before every living token was issued is forgotten", () => {
    let now = 0;
    const revocations = createRevocations(() => now);
    revocations.add("old");
    now = 2 * 3_600_000 - 1;
    revocations.add("young");
    expect(revocations.isRevoked(principal("old"))).toBe(true);
    now = 2 * 3_600_000;
    revocations.add("youngest");
    expect(revocations.isRevoked(principal("old"))).toBe(false);
    expect(revocations.isRevoked(principal("young"))).toBe(true);
  });

  test("nobody is trusted before the revocations are known", async () => {
    const revocations = createRevocations(() => 0);
    await expectDomainError(Promise.resolve().then(revocations.requireKnown), "SERVICE_UNAVAILABLE");
    revocations.markKnown();
    expect(() => revocations.requireKnown()).not.toThrow();
  });
});

describe("key set", () => {
  const createServed = async (kids: string[]) => {
    const { publicKey } = await generateKeyPair("ES256", { extractable: true });
    const jwk = await exportJWK(publicKey);
    const state = { calls: 0, down: false, now: 0 };
    const getJwks = jest.fn(async () => {
      state.calls += 1;
      if (state.down) throw new Error("down");
      return { jwksJson: JSON.stringify({ keys: kids.map((kid) => ({ ...jwk, kid, alg: "ES256" })) }) } as never;
    });
    return { state, keys: createKeySet({ tokens: { getJwks }, monotonic: () => state.now, logger }) };
  };
  const find = (keys: Awaited<ReturnType<typeof createServed>>["keys"], kid: string) =>
    Promise.resolve(keys.getKey({ alg: "ES256", kid }, { payload: "", signature: "" }));

  test("a thousand random key ids cause at most two fetches", async () => {
    const { state, keys } = await createServed(["known"]);
    await find(keys, "known");
    state.now = 31_000;
    for (let n = 0; n < 1_000; n += 1) {
      await expect(find(keys, `random-${n}`)).rejects.toBeInstanceOf(errors.JWKSNoMatchingKey);
    }
    expect(state.calls).toBe(2);
  });

  test("a new key is found after the cooldown", async () => {
    const kids = ["old"];
    const { state, keys } = await createServed(kids);
    await find(keys, "old");
    kids.push("new");
    await expect(find(keys, "new")).rejects.toBeInstanceOf(errors.JWKSNoMatchingKey);
    state.now = 30_001;
    await expect(find(keys, "new")).resolves.toBeDefined();
  });

  test("the last good set is kept while the auth service is down", async () => {
    const { state, keys } = await createServed(["known"]);
    const document = await keys.document();
    state.down = true;
    state.now = 400_000;
    expect(await keys.document()).toBe(document);
    await until(() => state.calls === 2);
    await expect(find(keys, "known")).resolves.toBeDefined();
  });
});

describe("organization limits", () => {
  const createAsked = () => {
    const state = { calls: 0, down: false, now: 0, accept: 5 };
    const gate: { wait: Promise<void> } = { wait: Promise.resolve() };
    const describeOrganization = async () => {
      state.calls += 1;
      const { accept } = state;
      await gate.wait;
      if (state.down) throw new Error("down");
      return { organization: { limits: { accept } } } as never;
    };
    const tokens = { describeOrganization } as never;
    return {
      state,
      gate,
      limits: createOrganizationLimits({ tokens, defaults: defaultLimits, monotonic: () => state.now, logger }),
    };
  };

  test("overrides replace defaults group by group, and are asked for once", async () => {
    const { state, limits } = createAsked();
    const shared = { accept: 60_000, render: 120_000, other: 12_000, sign: 12_000 };
    expect(await limits.of(orgId)).toMatchObject({ ...defaultLimits, accept: 5, shared, suspended: false });
    await limits.of(orgId);
    expect(state.calls).toBe(1);
  });

  test("what all clients have together stays within what a window counts to, or nobody could be counted", async () => {
    const { state, limits } = createAsked();
    state.accept = 1_000_000_000;
    expect((await limits.of(orgId)).shared.accept).toBe(2_147_483_647);
  });

  test("a change makes the next question go to the auth service", async () => {
    const { state, limits } = createAsked();
    await limits.of(orgId);
    state.accept = 9;
    limits.forget(orgId);
    expect(await limits.of(orgId)).toMatchObject({ accept: 9 });
  });

  test("an answer from before a change does not outlive it", async () => {
    const { state, gate, limits } = createAsked();
    const { promise, resolve } = Promise.withResolvers<void>();
    gate.wait = promise;
    const stale = limits.of(orgId);
    state.accept = 9;
    limits.forget(orgId);
    resolve();
    expect(await stale).toMatchObject({ accept: 5 });
    expect(await limits.of(orgId)).toMatchObject({ accept: 9 });
  });

  test("limits that are known stay in force when a change cannot be read", async () => {
    const { state, limits } = createAsked();
    await limits.of(orgId);
    state.down = true;
    limits.forget(orgId);
    expect(await limits.of(orgId)).toMatchObject({ accept: 5 });
    limits.forget(orgId);
    expect(await limits.of(orgId)).toMatchObject({ accept: 5 });
    state.down = false;
    state.accept = 9;
    state.now = 5_001;
    expect(await limits.of(orgId)).toMatchObject({ accept: 9 });
  });

  test("the defaults apply while the auth service is down, which is asked again after a while", async () => {
    const { state, limits } = createAsked();
    state.down = true;
    expect(await limits.of(orgId)).toMatchObject(defaultLimits);
    await limits.of(orgId);
    expect(state.calls).toBe(1);
    state.down = false;
    state.now = 5_001;
    expect(await limits.of(orgId)).toMatchObject({ accept: 5 });
  });
});

describe("change poller", () => {
  test("reads page by page until nothing is left, then follows", async () => {
    const feed = [1n, 2n, 3n];
    const listChanges = async ({ afterCursor = 0n }: { afterCursor?: bigint }) => {
      const next = feed.find((cursor) => cursor > afterCursor);
      const changes =
        next === undefined ? [] : [{ cursor: next, subject: { case: "revokedTokenId", value: `jti-${next}` } }];
      return { changes } as never;
    };
    const seen: unknown[] = [];
    let caughtUp = 0;
    const poller = createChangePoller({
      tokens: { listChanges },
      onChange: ({ subject }) => seen.push(subject.value),
      onCaughtUp: () => {
        caughtUp += 1;
      },
      logger,
      intervalMs: 1,
    });
    await poller.start();
    expect([seen, caughtUp]).toEqual([["jti-1", "jti-2", "jti-3"], 1]);
    feed.push(4n);
    await until(() => seen.length === 4);
    await poller.stop();
    expect([seen.at(-1), caughtUp]).toEqual(["jti-4", 1]);
  });

  test("tries on while the auth service is down", async () => {
    let isDown = true;
    let caughtUp = false;
    const listChanges = async () => {
      if (isDown) throw new Error("down");
      return { changes: [] } as never;
    };
    const poller = createChangePoller({
      tokens: { listChanges },
      onChange: () => {},
      onCaughtUp: () => {
        caughtUp = true;
      },
      logger,
      intervalMs: 1,
    });
    await poller.start();
    expect(caughtUp).toBe(false);
    isDown = false;
    await until(() => caughtUp);
    await poller.stop();
  });
});

describe("readiness", () => {
  const start = () => {
    const world = { now: 0, isDatabaseAway: false };
    const revocations = createRevocations(() => 0);
    const query = async () => {
      if (world.isDatabaseAway) throw new Error("no database");
    };
    const pool = { query } as unknown as Parameters<typeof createReadinessCheck>[0]["pool"];
    const check = createReadinessCheck({ pool, revocations, monotonic: () => world.now, logger });
    return { world, revocations, check };
  };

  test("waits for the revocations and for the database, and then stays, whatever is away", async () => {
    const { world, revocations, check } = start();
    world.isDatabaseAway = true;
    await expectDomainError(check(), "SERVICE_UNAVAILABLE");
    revocations.markKnown();
    await expect(check()).rejects.toThrow("no database");
    world.isDatabaseAway = false;
    await check();
    world.isDatabaseAway = true;
    await check();
  });

  test("comes after a minute even if neither could be reached", async () => {
    const { world, check } = start();
    world.now = 59_999;
    await expectDomainError(check(), "SERVICE_UNAVAILABLE");
    world.now = 60_000;
    await check();
  });
});
