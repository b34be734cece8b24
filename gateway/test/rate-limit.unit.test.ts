import type { DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Idempotency } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "@jest/globals";
import { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import type { Principal } from "../auth/principal.ts";
import { createRateLimit } from "../http/rate-limit.ts";
import type { Bucket, Grant } from "../limits/window-store.ts";
import { allRoutes } from "../routes/index.ts";
import type { Services } from "../routes/services.ts";

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
  const state = { isAway: false, granted: true, refused: "", none: "" };
  const seen = { alone: [] as Bucket[], shared: [] as Bucket[], logs: [] as string[], refusals: [] as unknown[] };
  const log = (level: string) => () => void seen.logs.push(level);
  const { takeRequest } = createRateLimit({
    limiter: {
      take: async (bucket) => {
        if (state.isAway) throw new Error("no database");
        seen.shared.push(bucket);
        return grantOf(bucket, state.granted && bucket.key !== state.none);
      },
      refusal: ({ key }) => (state.refused === key ? grantOf({ key, limit: 7 }, false) : undefined),
    },
    localLimiter: (bucket) => {
      seen.alone.push(bucket);
      return grantOf(bucket, state.granted);
    },
    organizations: {
      of: () => ({ accept: 1, render: 2, other: 3, sign: 4, shared: { accept: 10, render: 20, other: 30, sign: 40 } }),
    },
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
    expect(seen.alone).toEqual([
      { key: "cl render", limit: 2 },
      { key: "organization org render", limit: 20 },
    ]);
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

describe("all clients of an organization together", () => {
  test("are refused when their budget is used up, whatever is left of a client's own", async () => {
    const { state, takeRequest } = createLimited();
    state.none = "organization org other";
    expect(await takeRequest(principal, "other", "GET")).toMatchObject({ granted: false, limit: 30 });
    expect(await takeRequest(principal, "sign", "GET")).toMatchObject({ granted: true, limit: 4, remaining: 3 });
  });

  test.each(["cl other", "organization org other"])("what %s has refused before takes from nobody", async (key) => {
    const { state, seen, takeRequest } = createLimited();
    state.refused = key;
    expect(await takeRequest(principal, "other", "GET")).toMatchObject({ granted: false, limit: 7 });
    expect(seen.shared).toEqual([]);
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

describe("operations that run while their request is counted", () => {
  const beside = allRoutes.filter((route) => route.besideLimit === true);

  test("are not counted by a service", () => {
    expect(beside.length).toBeGreaterThan(0);
    for (const { access } of beside) expect(access).not.toMatchObject({ limitGroup: "plan" });
  });

  test.each(beside.map((route) => [route.operationId, route] as const))("%s only reads", async (_, route) => {
    const called: [string, string][] = [];
    const serviceNamed = (service: string) =>
      new Proxy({}, { get: (_target, method: string) => () => Promise.reject(called.push([service, method])) });
    const services = new Proxy({}, { get: (_target, name: string) => serviceNamed(name) }) as Services;
    const request = { method: "GET", params: {}, query: {}, caller: {}, scopes: new Set(), headers: {}, files: [] };
    await route.handle(request as never, services).catch(() => undefined);
    const contracts: Record<string, DescService> = {
      click: ClickService,
      templates: TemplatesService,
      sign: SignService,
    };
    const levels = called.map(([service, name]) => contracts[service]?.method[name]?.idempotency);
    expect(route.method).toBe("GET");
    expect(levels).toEqual([Idempotency.NO_SIDE_EFFECTS]);
  });
});
