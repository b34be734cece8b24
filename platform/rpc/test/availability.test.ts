import { setTimeout as delay } from "node:timers/promises";
import { Code, type Transport } from "@connectrpc/connect";
import { describe, expect, test } from "@jest/globals";
import { until } from "../../testing/until.ts";
import { serverInterceptors } from "../interceptors.ts";
import { type ClickHandlers, clickClient, observe, useResources } from "./harness.ts";

const resources = useResources();

/** A handler whose calls wait until they are released or aborted. */
function gate() {
  let open = () => {};
  const released = new Promise<void>((resolve) => {
    open = resolve;
  });
  let calls = 0;
  const pass = async (signal: AbortSignal) => {
    calls += 1;
    await Promise.race([released, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
    return {};
  };
  return { pass, open, calls: () => calls };
}

describe("a call to a server that is not there", () => {
  test("waits and succeeds when the server comes up before the deadline", async () => {
    const first = await resources.serve({});
    await first.drain(0);
    const client = clickClient(resources.transport(`127.0.0.1:${first.port}`));

    const call = client.createSession({ template: { case: "templateId", value: "t" } });
    await delay(300);
    await resources.serve({ createSession: () => ({}) }, { port: first.port });

    expect(await call).toBeDefined();
  });

  test("fails soon once it is known that there is none, whatever its deadline, until the server is back", async () => {
    const first = await resources.serve({ getReceipt: () => ({}) });
    const { metrics } = observe();
    const transport = resources.transport(`127.0.0.1:${first.port}`, { metrics });
    const client = clickClient(transport);
    await client.getReceipt({});
    expect(transport.isDown()).toBe(false);
    await first.drain(0);
    // Those that come before that wait longer, since a server that is replaced is back by then.
    const early = performance.now();
    await expect(client.getReceipt({})).rejects.toMatchObject({ code: Code.Unavailable });
    expect(performance.now() - early).toBeGreaterThan(1_500);
    await until(() => transport.isDown());

    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const start = performance.now();
      const calls = [client.getReceipt({}), client.createSession({ template: { case: "templateId", value: "t" } })];
      for (const { status } of await Promise.allSettled(calls)) expect(status).toBe("rejected");
      times.push(performance.now() - start);
    }
    expect(Math.min(...times)).toBeLessThan(1_000);

    // Where the server measures nothing any more, callers do.
    const measured = await metrics.registry.metrics();
    for (const code of ["ok", "unavailable"]) {
      const labels = `service="click",method="GetReceipt",code="${code}"`;
      expect(measured).toMatch(new RegExp(`^assent_rpc_client_duration_seconds_count\\{${labels}\\} [1-9]`, "m"));
    }

    await resources.serve({ getReceipt: () => ({}) }, { port: first.port });
    await until(async () => (await client.getReceipt({}).catch(() => undefined)) !== undefined);
    expect(transport.isDown()).toBe(false);
  });

  test("is not tried again by those who called whoever needed it, however far away they are", async () => {
    const gone = await resources.serve({});
    const nobody = resources.transport(`127.0.0.1:${gone.port}`);
    await gone.drain(0);
    await clickClient(nobody)
      .getReceipt({})
      .catch(() => undefined);
    let calls = 0;
    const through = (next: Transport): ClickHandlers => ({
      getReceipt: async (request) => {
        calls += 1;
        return clickClient(next).getReceipt(request);
      },
    });
    const interceptors = serverInterceptors({ service: "click", ...observe() });
    const near = await resources.serve(through(nobody), { interceptors });
    const far = await resources.serve(through(resources.transport(`127.0.0.1:${near.port}`)), { interceptors });

    const start = performance.now();
    const outcome = clickClient(resources.transport(`127.0.0.1:${far.port}`)).getReceipt({});
    await expect(outcome).rejects.toMatchObject({ code: Code.Unavailable });
    expect(calls).toBe(2);
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  test("fails with unavailable at its deadline", async () => {
    const first = await resources.serve({});
    await first.drain(0);
    const client = clickClient(resources.transport(`127.0.0.1:${first.port}`));

    await expect(client.getReceipt({}, { timeoutMs: 200 })).rejects.toMatchObject({ code: Code.Unavailable });
  });
});

describe("a call in flight when its server dies", () => {
  test("is answered by the restarted server when the RPC is idempotent", async () => {
    const stuck = gate();
    const first = await resources.serve({ getReceipt: (_request, context) => stuck.pass(context.signal) });
    const client = clickClient(resources.transport(`127.0.0.1:${first.port}`));

    const call = client.getReceipt({ receiptId: "x".repeat(2_000_000) });
    await until(() => stuck.calls() === 1);
    await first.drain(0);
    await resources.serve({ getReceipt: () => ({ receiptJson: "from the second" }) }, { port: first.port });

    expect((await call).receiptJson).toBe("from the second");
  });

  test("fails with unavailable and is not sent again when the RPC is not idempotent", async () => {
    const stuck = gate();
    let again = 0;
    const first = await resources.serve({ createSession: (_request, context) => stuck.pass(context.signal) });
    const client = clickClient(resources.transport(`127.0.0.1:${first.port}`));

    const call = client.createSession({ template: { case: "templateId", value: "t" } });
    const outcome = call.catch((error: unknown) => error);
    await until(() => stuck.calls() === 1);
    await first.drain(0);
    const count = () => {
      again += 1;
      return {};
    };
    await resources.serve({ createSession: count, getReceipt: () => ({}) }, { port: first.port });

    expect(await outcome).toMatchObject({ code: Code.Unavailable });
    await client.getReceipt({});
    expect(again).toBe(0);
  });
});

describe("a call in flight when its connection breaks", () => {
  test("is sent again when the RPC is idempotent", async () => {
    const stuck = gate();
    const { port } = await resources.serve({
      getReceipt: (_request, context) => (stuck.calls() === 0 ? stuck.pass(context.signal) : {}),
    });
    const relay = await resources.relay(port);
    const client = clickClient(resources.transport(`127.0.0.1:${relay.port}`));

    const call = client.getReceipt({});
    await until(() => stuck.calls() === 1);
    relay.tear();

    expect(await call).toBeDefined();
  });

  test("is aborted on the server and fails with unavailable when the RPC is not idempotent", async () => {
    const stuck = gate();
    let reason: unknown;
    const { port } = await resources.serve({
      createSession: async (_request, context) => {
        await stuck.pass(context.signal);
        reason = context.signal.reason;
        return {};
      },
    });
    const relay = await resources.relay(port);
    const client = clickClient(resources.transport(`127.0.0.1:${relay.port}`));

    const call = client.createSession({ template: { case: "templateId", value: "t" } });
    const outcome = call.catch((error: unknown) => error);
    await until(() => stuck.calls() === 1);
    relay.tear();

    expect(await outcome).toMatchObject({ code: Code.Unavailable });
    expect(await until(() => reason)).toMatchObject({ code: Code.Canceled });
    expect(stuck.calls()).toBe(1);
  });
});

describe("drain", () => {
  test("lets calls in flight finish and refuses new connections", async () => {
    const stuck = gate();
    const server = await resources.serve({ getReceipt: (_request, context) => stuck.pass(context.signal) });
    const target = `127.0.0.1:${server.port}`;
    const call = clickClient(resources.transport(target)).getReceipt({});
    await until(() => stuck.calls() === 1);

    const drained = server.drain(5000);
    const late = clickClient(resources.transport(target)).getReceipt({}, { timeoutMs: 300 });

    await expect(late).rejects.toMatchObject({ code: Code.Unavailable });
    stuck.open();
    expect(await call).toBeDefined();
    await drained;
    expect(stuck.calls()).toBe(1);
  });

  test("cuts calls that take longer than the grace", async () => {
    const stuck = gate();
    let wasAborted = false;
    const server = await resources.serve({
      createSession: (_request, context) => {
        context.signal.addEventListener("abort", () => {
          wasAborted = true;
        });
        return stuck.pass(context.signal);
      },
    });
    const client = clickClient(resources.transport(`127.0.0.1:${server.port}`));
    const outcome = client
      .createSession({ template: { case: "templateId", value: "t" } })
      .catch((error: unknown) => error);
    await until(() => stuck.calls() === 1);

    await server.drain(50);

    expect(await outcome).toMatchObject({ code: Code.Unavailable });
    await until(() => wasAborted);
  });

  test("can be asked for twice", async () => {
    const server = await resources.serve({});

    await Promise.all([server.drain(100), server.drain(100)]);
    await server.drain(0);
  });
});

describe("two servers under load", () => {
  test("lose no call while each of them restarts", async () => {
    const answered: [number, number] = [0, 0];
    const handlers = (index: 0 | 1): ClickHandlers => {
      const answer = async () => {
        answered[index] += 1;
        await delay(1);
        return {};
      };
      return { getReceipt: answer, createSession: answer };
    };
    const servers = [await resources.serve(handlers(0)), await resources.serve(handlers(1))];
    const ports = servers.map((server) => server.port);
    const client = clickClient(resources.transport(`ipv4:${ports.map((port) => `127.0.0.1:${port}`).join(",")}`));
    let running = true;
    let done = 0;
    const failures: unknown[] = [];
    const load = Array.from({ length: 16 }, async (_, lane) => {
      while (running) {
        const call =
          lane % 2 === 0
            ? client.getReceipt({})
            : client.createSession({ template: { case: "templateId", value: "t" } });
        await call.catch((error: unknown) => failures.push(error));
        done += 1;
      }
    });
    const someMore = (count: number) =>
      until(
        (
          (goal) => () =>
            done >= goal
        )(done + count),
      );

    await someMore(300);
    for (const index of [0, 1] as const) {
      await servers[index]?.drain(5000);
      await someMore(300);
      const before = answered[index];
      servers[index] = await resources.serve(handlers(index), { port: ports[index] ?? 0 });
      await until(() => answered[index] > before);
    }
    await someMore(300);
    running = false;
    await Promise.all(load);

    expect(failures).toEqual([]);
    expect(Math.min(...answered)).toBeGreaterThan(100);
  });

  test("lose no call when connections reach their age", async () => {
    // Old enough for a slow machine to try a call again before the next connection has its age too.
    const options = { maxConnectionAgeMs: 600 };
    const servers = [
      await resources.serve({ getReceipt: () => ({}) }, options),
      await resources.serve({ getReceipt: () => ({}) }, options),
    ];
    const target = `ipv4:${servers.map((server) => `127.0.0.1:${server.port}`).join(",")}`;
    const client = clickClient(resources.transport(target));
    const end = performance.now() + 2000;

    const load = Array.from({ length: 8 }, async () => {
      while (performance.now() < end) await client.getReceipt({});
    });

    await Promise.all(load);
  });
});
