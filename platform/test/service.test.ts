import { type AddressInfo, createServer } from "node:net";
import { Code, createClient } from "@connectrpc/connect";
import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { AdminService, TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { DeadEventService } from "#gen/assent/operations/v1/dead_events_pb.ts";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "#gen/grpc/health/v1/health_pb.ts";
import { systemClock } from "../clock.ts";
import { createMemoryBus } from "../events/memory.ts";
import { newId } from "../ids.ts";
import { createMetrics } from "../metrics.ts";
import type { Worker } from "../periodic.ts";
import { createGrpcTransport } from "../rpc/client.ts";
import { recordingLogger } from "../rpc/test/harness.ts";
import { type RunningService, runService, type Service } from "../service.ts";
import { until } from "../testing/until.ts";

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A service whose parts write down what happens to them. */
function createService(changes: Partial<Service> = {}) {
  const events: string[] = [];
  const worker = (name: string): Worker => ({
    name,
    start: async () => void events.push(`start ${name}`),
    stop: async () => void events.push(`stop ${name}`),
  });
  const service: Service = {
    name: "auth",
    routes: (router) => void router.service(TokenService, { getJwks: () => ({ jwksJson: "{}" }) }),
    adminRoutes: (router) => void router.service(AdminService, { listApiKeys: () => ({ keys: [] }) }),
    workers: [worker("relay"), worker("sweeper")],
    checkReady: async () => {},
    close: async () => void events.push("close"),
    ...changes,
  };
  return { service, events, worker };
}

async function run(service: Service, ports: { rpc?: number; admin?: number } = {}) {
  const { logger, lines } = recordingLogger();
  const runtime = { logger, metrics: createMetrics(), clock: systemClock, newId, bus: createMemoryBus() };
  const running = await runService(service, {
    rpc: { host: "127.0.0.1", port: ports.rpc ?? 0, callers: (next) => next },
    admin: { host: "127.0.0.1", port: ports.admin ?? 0, token: "t" },
    runtime,
  });
  closers.push(() => running.stop().catch(() => {}));
  return { ...running, runtime, lines };
}

function connect(running: RunningService) {
  const transport = createGrpcTransport({ target: `127.0.0.1:${running.rpcPort}`, services: [TokenService] });
  closers.push(() => transport.close());
  return {
    tokens: createClient(TokenService, transport),
    admin: createClient(AdminService, transport),
    healthStatus: async () => (await createClient(Health, transport).check({})).status,
  };
}

const get = (running: RunningService, path: string): Promise<number> =>
  fetch(`http://127.0.0.1:${running.adminPort}${path}`).then((response) => response.status);

const postJson = (running: RunningService, path: string): Promise<number> =>
  fetch(`http://127.0.0.1:${running.adminPort}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer t" },
    body: JSON.stringify({ organizationId: "0198c5f0-0000-7000-8000-000000000001" }),
  }).then((response) => response.status);

async function takePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => new Promise((resolve) => void server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

describe("runService", () => {
  test("serves RPCs, the admin port and the workers", async () => {
    const { service, events } = createService();
    const running = await run(service);
    const { tokens, healthStatus } = connect(running);

    expect((await tokens.getJwks({})).jwksJson).toBe("{}");
    expect(await healthStatus()).toBe(ServingStatus.SERVING);
    expect(await get(running, "/readyz")).toBe(200);
    expect(await get(running, "/metrics")).toBe(200);
    expect(events).toEqual(["start relay", "start sweeper"]);
  });

  test("keeps admin RPCs away from the RPC port", async () => {
    const { service } = createService();
    const running = await run(service);

    await expect(connect(running).admin.listApiKeys({})).rejects.toMatchObject({ code: Code.Unimplemented });
    expect(await postJson(running, "/assent.auth.v1.AdminService/ListApiKeys")).toBe(200);
    expect(await postJson(running, "/assent.auth.v1.TokenService/GetJwks")).toBe(200);
  });

  test("offers what consumers gave up on the admin port only, also where there are no consumers", async () => {
    const { service } = createService();
    const running = await run(service);

    expect(await postJson(running, "/assent.operations.v1.DeadEventService/ListDeadEvents")).toBe(200);
    const transport = createGrpcTransport({ target: `127.0.0.1:${running.rpcPort}`, services: [DeadEventService] });
    closers.push(() => transport.close());
    const { listDeadEvents } = createClient(DeadEventService, transport);
    await expect(listDeadEvents({})).rejects.toMatchObject({ code: Code.Unimplemented });
  });

  test("does not serve before it is ready, and then does", async () => {
    let isReady = false;
    const checkReady = async () => {
      if (!isReady) throw new Error("no database yet");
    };
    const running = await run(createService({ checkReady }).service);
    const { healthStatus } = connect(running);

    expect(await healthStatus()).toBe(ServingStatus.NOT_SERVING);
    expect([await get(running, "/livez"), await get(running, "/readyz")]).toEqual([200, 503]);
    isReady = true;
    await until(async () => (await healthStatus()) === ServingStatus.SERVING);
    expect(await get(running, "/readyz")).toBe(200);
    expect(running.lines.filter((line) => line.level === "warn").map((line) => line.msg)).toEqual(["not ready"]);
  });

  test("can be stopped before it is ready", async () => {
    const { service, events } = createService({ checkReady: () => Promise.reject(new Error("never")) });
    const running = await run(service);

    await running.stop();

    expect(events.at(-1)).toBe("close");
  });

  test.each(["rpc", "admin"])("stops what it started when the %s port is taken", async (which) => {
    const { service, events } = createService();
    const port = await takePort();
    // grpc-js reports it there, too.
    const print = jest.spyOn(console, "error").mockReturnValue();
    closers.push(() => print.mockRestore());

    await expect(run(service, { [which]: port })).rejects.toThrow(/EADDRINUSE/);

    expect(events).toEqual(["close"]);
  });

  test("stops what it started when a worker cannot start", async () => {
    const { service, events, worker } = createService();
    const broken = { ...worker("broken"), start: () => Promise.reject(new Error("cannot start")) };
    const workers = [worker("relay"), broken, worker("late")];

    await expect(run({ ...service, workers })).rejects.toThrow("cannot start");

    expect(events).toEqual(["start relay", "stop relay", "close"]);
  });
});

describe("stop", () => {
  test("drains calls, then stops the workers, then closes the service, and the admin port last", async () => {
    const { service, events, worker } = createService();
    let release = () => {};
    let called = false;
    const running = await run({
      ...service,
      routes: (router) =>
        void router.service(TokenService, {
          getJwks: async () => {
            called = true;
            await new Promise<void>((resolve) => {
              release = resolve;
            });
            events.push("answer");
            return { jwksJson: "late" };
          },
        }),
      workers: [{ ...worker("relay"), start: async () => {} }],
      close: async () => {
        events.push(`close with livez ${await get(running, "/livez")} readyz ${await get(running, "/readyz")}`);
      },
    });
    const { tokens } = connect(running);
    const answer = tokens.getJwks({});
    await until(() => called);

    const stopped = running.stop();
    await until(async () => (await get(running, "/readyz")) === 503);
    expect(events).toEqual([]);
    release();
    await stopped;

    expect((await answer).jwksJson).toBe("late");
    expect(events).toEqual(["answer", "stop relay", "close with livez 200 readyz 503"]);
    await expect(get(running, "/livez")).rejects.toThrow();
    expect(running.runtime.bus.isConnected()).toBe(true);
  });

  test("first tells the service, whose long calls can end then", async () => {
    const { service, events } = createService();
    const ended = Promise.withResolvers<void>();
    let called = false;
    const running = await run({
      ...service,
      routes: (router) =>
        void router.service(TokenService, {
          getJwks: async () => {
            called = true;
            await ended.promise;
            events.push("answer");
            return { jwksJson: "{}" };
          },
        }),
      beginStop: () => {
        events.push("begin");
        ended.resolve();
      },
    });
    const answer = connect(running).tokens.getJwks({});
    await until(() => called);
    await running.stop();
    expect((await answer).jwksJson).toBe("{}");
    expect(events.slice(2)).toEqual(["begin", "answer", "stop relay", "stop sweeper", "close"]);
  });

  test("goes on after a step that fails, and rejects", async () => {
    const { service, events, worker } = createService();
    const broken = { ...worker("broken"), stop: () => Promise.reject(new Error("cannot stop")) };
    const running = await run({ ...service, workers: [broken, worker("relay")] });

    await expect(running.stop()).rejects.toThrow("auth did not stop cleanly");

    expect(events).toEqual(["start broken", "start relay", "stop relay", "close"]);
    await expect(get(running, "/livez")).rejects.toThrow();
    expect(running.lines.find((line) => line.level === "error")).toMatchObject({ step: "broken" });
  });

  test("happens once, however often it is asked for", async () => {
    const { service, events } = createService();
    const running = await run(service);

    await Promise.all([running.stop(), running.stop()]);
    await running.stop();

    expect(events.filter((event) => event === "close")).toHaveLength(1);
  });
});
