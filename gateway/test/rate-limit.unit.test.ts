import { describe, expect, test } from "@jest/globals";
import type { Principal } from "../auth/principal.ts";
import { createRateLimit } from "../http/rate-limit.ts";
import type { Bucket, Grant } from "../limits/window-store.ts";

const principal = { orgId: "org", clientId: "cl" } as unknown as Principal;
const grantOf = ({ limit }: Bucket, granted = true): Grant => ({
  granted,
  limit,
  remaining: granted ? limit - 1 : 0,
  resetAt: 60,
  retryAfterSeconds: 10,
});

/** A rate limit over windows that can be taken away, with what it logged and counted. */
function createLimited() {
  const state = { isAway: false, granted: true };
  const seen = { alone: [] as Bucket[], shared: [] as Bucket[], logs: [] as string[], refusals: [] as unknown[] };
  const log = (level: string) => () => void seen.logs.push(level);
  const takeRequest = createRateLimit({
    limiter: {
      take: async (bucket) => {
        if (state.isAway) throw new Error("no database");
        seen.shared.push(bucket);
        return grantOf(bucket, state.granted);
      },
      refusal: () => undefined,
    },
    localLimiter: (bucket) => {
      seen.alone.push(bucket);
      return grantOf(bucket, state.granted);
    },
    organizations: { of: () => ({ accept: 1, render: 2, other: 3, sign: 4 }) },
    metrics: { limiterRefusals: { inc: (labels: unknown) => void seen.refusals.push(labels) } } as never,
    logger: { warn: log("warn"), info: log("info") } as never,
  });
  return { state, seen, takeRequest };
}

describe("while the shared windows are away", () => {
  test.each(["GET", "HEAD"])("a %s is counted by the process, under the same key and limit", async (method) => {
    const { state, seen, takeRequest } = createLimited();
    await takeRequest(principal, "render", method);
    state.isAway = true;
    expect(await takeRequest(principal, "render", method)).toMatchObject({ granted: true, limit: 2 });
    expect(seen.alone).toEqual([{ key: "cl render", limit: 2 }]);
    expect(seen.alone).toEqual(seen.shared);
  });

  test.each(["POST", "PATCH", "PUT", "DELETE"])("a %s waits in every group", async (method) => {
    const { state, seen, takeRequest } = createLimited();
    state.isAway = true;
    for (const group of ["accept", "render", "other", "sign"] as const) {
      await expect(takeRequest(principal, group, method)).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    }
    expect(seen.alone).toEqual([]);
  });

  test("the log says once that they went, and once that they came back", async () => {
    const { state, seen, takeRequest } = createLimited();
    state.isAway = true;
    for (let n = 0; n < 3; n += 1) await takeRequest(principal, "other", "GET");
    state.isAway = false;
    for (let n = 0; n < 3; n += 1) await takeRequest(principal, "other", "GET");
    expect(seen.logs).toEqual(["warn", "info"]);
  });
});

test("a refusal of either kind is counted", async () => {
  const { state, seen, takeRequest } = createLimited();
  state.granted = false;
  await takeRequest(principal, "accept", "POST");
  state.isAway = true;
  await takeRequest(principal, "other", "GET");
  expect(seen.refusals).toEqual([{ group: "accept" }, { group: "other" }]);
});
