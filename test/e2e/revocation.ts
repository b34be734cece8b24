import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import { Api } from "../support/api.ts";
import { type System, scenario } from "../support/system.ts";
import { newToken } from "./access-credentials.ts";

/** What can be taken away, and how. */
interface Revocable {
  readonly credential: string;
  revoke(): Promise<unknown>;
}

type Kind = "a token" | "a client" | "an API key";
const kinds: readonly Kind[] = ["a token", "a client", "an API key"];

/** Whatever else the machine has to do meanwhile. */
const boundMs = 5_000;
/** Where nothing is told, half of all revocations take longer; what is told takes far less than the second promised. */
const promisedMs = 2_400;

export const revocation = scenario("revocation", (mode, running) => {
  let system: System;
  let owner: Api;

  beforeAll(async () => {
    system = running();
    owner = await system.newOrganization();
    const limits = { accept: 1_000_000, render: 1_000_000, other: 1_000_000, sign: 1_000_000 };
    await system.admin.setOrganizationLimits({ organizationId: owner.organizationId, limits });
  });

  const gateways = (credential: string): Api[] =>
    system.baseUrls.map((baseUrl) => owner.with({ baseUrl, token: credential }));

  const make = async (kind: Kind): Promise<Revocable> => {
    const { organizationId } = owner;
    if (kind === "an API key") {
      const { apiKey, key } = await system.admin.createApiKey({ organizationId, name: "to be revoked" });
      const keyId = key?.id ?? "";
      return { credential: apiKey, revoke: () => system.admin.revokeApiKey({ organizationId, keyId }) };
    }
    const { token, clientId } = await newToken(system, owner, "click:read");
    const revokeClient = () => system.admin.revokeOAuthClient({ organizationId, clientId });
    return {
      credential: token,
      revoke: kind === "a client" ? revokeClient : () => system.admin.revokeToken({ token }),
    };
  };

  /** Revokes it in the midst of constant use, and tells how long the slowest gateway went on letting it in. */
  const revokeInUse = async (kind: Kind): Promise<number> => {
    const { credential, revoke } = await make(kind);
    const users = gateways(credential).map((api) => useConstantly(api));
    await Promise.all(users.map((user) => user.isLetIn));
    await revoke();
    const revokedAt = performance.now();
    const refusedAt = await Promise.all(users.map((user) => user.refusedAt));
    for (const user of users) await user.stop();
    return Math.max(...refusedAt) - revokedAt;
  };

  test("takes effect on every gateway within a second, also for what is in constant use", async () => {
    const times: number[] = [];
    for (const kind of kinds) times.push(await revokeInUse(kind));
    expect(Math.max(...times)).toBeLessThan(boundMs);
    expect(medianOf(times)).toBeLessThan(promisedMs);
  });

  test("the other credentials of the organization go on", async () => {
    const kept = await make("a token");
    const { revoke } = await make("a client");
    await revoke();
    for (const api of [...gateways(kept.credential), ...gateways(owner.token)]) {
      expect((await api.get("/v1/click/templates")).status).toBe(200);
    }
  });

  test("a client that was revoked gets no new token, and its revoked token none of its siblings with it", async () => {
    const { organizationId, baseUrl } = owner;
    const { token, clientId, clientSecret } = await newToken(system, owner, "click:read");
    const sibling = await Api.fetchToken(baseUrl, clientId, clientSecret, "click:read");
    await system.admin.revokeToken({ token });
    for (const api of gateways(token)) await untilRefused(api);
    for (const api of gateways(sibling.body.access_token)) {
      expect((await api.get("/v1/click/templates")).status).toBe(200);
    }
    await system.admin.revokeOAuthClient({ organizationId, clientId });
    const refused = await Api.fetchToken(baseUrl, clientId, clientSecret, "click:read");
    expect([refused.status, refused.body.error]).toEqual([401, "invalid_client"]);
    for (const api of gateways(sibling.body.access_token)) await untilRefused(api);
  });

  test("a rotated secret works at once, and the old one no more", async () => {
    const { organizationId } = owner;
    const { token, clientId, clientSecret } = await newToken(system, owner, "click:read");
    const rotated = await system.admin.rotateOAuthClientSecret({ organizationId, clientId });
    for (const baseUrl of system.baseUrls) {
      const old = await Api.fetchToken(baseUrl, clientId, clientSecret, "click:read");
      expect([old.status, old.body.error]).toEqual([401, "invalid_client"]);
      const fresh = await Api.fetchToken(baseUrl, clientId, rotated.clientSecret, "click:read");
      expect(fresh.status).toBe(200);
    }
    // Rotating is for secrets that may have leaked; tokens end with their hour, or when they are revoked.
    for (const api of gateways(token)) expect((await api.get("/v1/click/templates")).status).toBe(200);
  });

  test("changed limits take effect on every gateway within a second", async () => {
    const { organizationId } = owner;
    const times: number[] = [];
    for (const other of [900_001, 900_002, 900_003]) {
      for (const api of gateways(owner.token)) await api.get("/v1/click/templates");
      await system.admin.setOrganizationLimits({ organizationId, limits: { other } });
      const changedAt = performance.now();
      const told = async (api: Api) =>
        (await api.get("/v1/click/templates")).headers.get("x-ratelimit-limit") === String(other);
      await Promise.all(gateways(owner.token).map((api) => until(() => told(api), boundMs)));
      times.push(performance.now() - changedAt);
    }
    expect(medianOf(times)).toBeLessThan(promisedMs);
  });

  if (mode === "distributed") {
    describe("in a cluster", () => {
      test("takes effect within five seconds while NATS is down", async () => {
        await system.nats?.kill();
        try {
          for (const kind of kinds) expect(await revokeInUse(kind)).toBeLessThan(boundMs);
        } finally {
          await system.nats?.restart();
        }
      });

      test("a gateway that was down meanwhile refuses from its first answer", async () => {
        const revocables = await Promise.all(kinds.map(make));
        const [, second] = system.distributed?.of("gateway") ?? [];
        const baseUrl = system.baseUrls[1] ?? "";
        for (const { credential } of revocables) {
          expect((await owner.with({ baseUrl, token: credential }).get("/v1/click/templates")).status).toBe(200);
        }
        await second?.stop();
        for (const { revoke } of revocables) await revoke();
        await second?.start();
        for (const { credential } of revocables) {
          const { status, body } = await owner.with({ baseUrl, token: credential }).get("/v1/click/templates");
          expect([status, body.errorCode]).toEqual([401, "INVALID_TOKEN"]);
        }
        expect((await owner.with({ baseUrl }).get("/v1/click/templates")).status).toBe(200);
      });
    });
  }
});

interface ConstantUse {
  /** Resolves when it was let in often enough to be remembered. */
  readonly isLetIn: Promise<void>;
  /** Resolves with the time of the first refusal. */
  readonly refusedAt: Promise<number>;
  /** Rejects when it was let in again after it had been refused. */
  stop(): Promise<void>;
}

/** Sends one request after another until long after the first refusal. */
function useConstantly(api: Api): ConstantUse {
  const letIn = Promise.withResolvers<void>();
  const refused = Promise.withResolvers<number>();
  let isStopped = false;
  let lettings = 0;
  let refusals = 0;
  const use = async (): Promise<void> => {
    const { status, body } = await api.get("/v1/click/templates");
    if (status === 200) {
      lettings += 1;
      if (refusals > 0) throw new Error("let in again after it had been refused");
      if (lettings === 5) letIn.resolve();
    } else {
      expect([status, body.errorCode]).toEqual([401, "INVALID_TOKEN"]);
      refusals += 1;
      refused.resolve(performance.now());
    }
    await delay(5);
  };
  const running = (async () => {
    while (!isStopped || refusals < 5) await use();
  })();
  running.catch((error: unknown) => {
    letIn.reject(error);
    refused.reject(error);
  });
  return {
    isLetIn: letIn.promise,
    refusedAt: refused.promise,
    stop: () => {
      isStopped = true;
      return running;
    },
  };
}

const untilRefused = (api: Api): Promise<boolean> =>
  until(async () => (await api.get("/v1/click/templates")).status === 401, boundMs) as Promise<boolean>;

const medianOf = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
