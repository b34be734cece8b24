import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "@jest/globals";
import { callerHeaders, requireCaller } from "../../caller.ts";
import { DomainError } from "../../errors.ts";
import type { Tracer } from "../../telemetry.ts";
import { expectDomainError } from "../../testing/expect-domain-error.ts";
import { WorkerPoolError } from "../../worker-pool.ts";
import { serverInterceptors } from "../interceptors.ts";
import { createMemoryTransport } from "../memory.ts";
import { type ClickHandlers, caller, clickClient, clickRoutes, observe } from "./harness.ts";

function open(handlers: ClickHandlers, tracer?: Tracer) {
  const observed = observe();
  const interceptors = serverInterceptors({ service: "click", ...observed, tracer });
  return { ...observed, client: clickClient(createMemoryTransport(clickRoutes(handlers), { interceptors })) };
}

const throwing = (error: unknown): ClickHandlers => ({
  getReceipt: () => {
    throw error;
  },
});

const headers = callerHeaders(caller);

describe("the log line of a call", () => {
  test("has the caller, the RPC, the code and the time at debug level when it succeeds", async () => {
    const { client, lines } = open({ getReceipt: () => ({}) });

    await client.getReceipt({}, { headers });

    expect(lines).toEqual([
      expect.objectContaining({
        level: "debug",
        requestId: "request-1",
        traceId: "0af7651916cd43dd8448eb211c80319c",
        orgId: caller.orgId,
        clientId: "cl_test",
        rpc: "assent.click.v1.ClickService/GetReceipt",
        code: "ok",
        ms: expect.any(Number),
      }),
    ]);
  });

  test("is a warning with the errorCode when the failure was expected", async () => {
    const { client, lines } = open(throwing(new DomainError("CLICK_RECEIPT_NOT_FOUND")));

    await expectDomainError(client.getReceipt({}), "CLICK_RECEIPT_NOT_FOUND");

    expect(lines).toEqual([
      expect.objectContaining({ level: "warn", code: "not_found", errorCode: "CLICK_RECEIPT_NOT_FOUND" }),
    ]);
    expect(lines[0]).not.toHaveProperty("err");
  });

  test("is an error with the stack when the failure was not expected", async () => {
    const { client, lines } = open(throwing(new TypeError("x is not a function")));

    await expect(client.getReceipt({})).rejects.toMatchObject({ code: Code.Internal, rawMessage: "internal error" });

    expect(lines).toEqual([
      expect.objectContaining({
        level: "error",
        code: "internal",
        err: expect.objectContaining({
          type: "TypeError",
          message: "x is not a function",
          stack: expect.stringContaining("interceptors.test.ts"),
        }),
      }),
    ]);
  });

  test("leaves out a trace that is none", async () => {
    const { client, lines } = open({ getReceipt: () => ({}) });

    await client.getReceipt({}, { headers: { traceparent: "nonsense" } });

    expect(lines[0]).not.toHaveProperty("traceId");
  });
});

describe("errors of a handler", () => {
  test.each([
    [Code.Internal, "connection string is postgres://…"],
    [Code.Unknown, "whatever a library said"],
    [Code.DataLoss, "file /var/lib/x is torn"],
  ])("of code %d are hidden from the caller", async (code, message) => {
    const { client, lines } = open(throwing(new ConnectError(message, code)));

    await expect(client.getReceipt({})).rejects.toMatchObject({ code: Code.Internal, rawMessage: "internal error" });

    expect(lines[0]).toMatchObject({ level: "error", err: { message: expect.stringContaining(message) } });
  });

  test("that another service answered travel on with their errorCode", async () => {
    const inner = open(throwing(new DomainError("INTERNAL_ERROR", { message: "quote the id" })));
    const outer = open({ getReceipt: (request) => inner.client.getReceipt(request) });

    const error = await expectDomainError(outer.client.getReceipt({}), "INTERNAL_ERROR");

    expect(error.message).toBe("quote the id");
  });

  test.each([
    ["pg", Object.assign(new Error("could not extend file"), { code: "53100" })],
    ["pg", Object.assign(new Error("remaining connection slots are reserved"), { code: "53300" })],
    ["pg", Object.assign(new Error("terminating connection"), { code: "57P02" })],
    ["pg", Object.assign(new Error("could not read block"), { code: "58030" })],
    ["pg", Object.assign(new Error("the connection failed"), { code: "08006" })],
    ["MikroORM", new Error("wrapped", { cause: Object.assign(new Error("disk full"), { code: "53100" }) })],
    ...["ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE", "ENOMEM", "ECONNREFUSED"].map(
      (code) => ["Node", Object.assign(new Error(code), { code, syscall: "write" })] as const,
    ),
    ["gRPC", new ConnectError("no connection established", Code.Unavailable)],
    ["gRPC", new ConnectError("too slow", Code.DeadlineExceeded)],
    ["a pool of threads", new WorkerPoolError("BUSY")],
    ["a pool of threads", new WorkerPoolError("DEADLINE")],
  ])("that pass are SERVICE_UNAVAILABLE, and only the log says why: %s, %s", async (_source, failure) => {
    const { client, lines } = open(throwing(failure));

    const error = await expectDomainError(client.getReceipt({}), "SERVICE_UNAVAILABLE");

    expect(error.metadata).toEqual({ retryAfterSeconds: "1" });
    expect(error.message).not.toContain(failure.message);
    expect(lines[0]).toMatchObject({ level: "warn", code: "unavailable", reason: failure.message });
  });

  test("of a database that say what is wrong with the statement are defects", async () => {
    for (const code of ["23505", "22P02", "42501", "XX001"]) {
      const { client } = open(throwing(Object.assign(new Error("the statement"), { code })));
      await expect(client.getReceipt({})).rejects.toMatchObject({ code: Code.Internal });
    }
  });

  test("that come from its own aborted signal are a cancellation", async () => {
    const controller = new AbortController();
    const { client, lines } = open({
      getReceipt: async (_request, context) => {
        controller.abort();
        if (!context.signal.aborted) await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
        throw new DOMException("aborted", "AbortError");
      },
    });

    await expect(client.getReceipt({}, { signal: controller.signal })).rejects.toMatchObject({ code: Code.Canceled });

    expect(lines[0]).toMatchObject({ level: "warn", code: "canceled" });
  });
});

describe("the metrics of a call", () => {
  test("count by method and code", async () => {
    const { client, metrics } = open({
      getReceipt: () => ({}),
      getSession: () => {
        throw new DomainError("CLICK_SESSION_NOT_FOUND");
      },
    });

    await client.getReceipt({});
    await client.getReceipt({});
    await client.getSession({}).catch(() => {});

    const text = await metrics.registry.metrics();
    expect(text).toContain('assent_rpc_duration_seconds_count{service="click",method="GetReceipt",code="ok"} 2');
    expect(text).toContain('assent_rpc_duration_seconds_count{service="click",method="GetSession",code="not_found"} 1');
  });
});

describe("the span of a call", () => {
  test("continues the caller's trace and is what the handler passes on", async () => {
    const ours = "00-0af7651916cd43dd8448eb211c80319c-00000000000000aa-01";
    const spans: unknown[] = [];
    const tracer: Tracer = {
      startSpan: (name, kind, parent) => ({
        traceparent: ours,
        end: (error) => spans.push({ name, kind, parent, failed: error !== undefined }),
      }),
    };
    let seen = "";
    const { client } = open(
      {
        getReceipt: (_request, context) => {
          seen = requireCaller(context).traceparent;
          throw new DomainError("CLICK_RECEIPT_NOT_FOUND");
        },
      },
      tracer,
    );

    await client.getReceipt({}, { headers }).catch(() => {});

    expect(seen).toBe(ours);
    expect(spans).toEqual([
      {
        name: "assent.click.v1.ClickService/GetReceipt",
        kind: "server",
        parent: caller.traceparent,
        failed: true,
      },
    ]);
  });
});

describe("validation", () => {
  const item = {
    caller: { organizationId: caller.orgId, clientId: "cl_1" },
    idempotencyKey: "k",
    body: new Uint8Array([123, 125]),
  };

  test("refuses a request that breaks the rules of its proto and names the fields as JSON does", async () => {
    let calls = 0;
    const { client } = open({
      acceptBatch: () => {
        calls += 1;
        return {};
      },
    });
    const wrongCaller = { ...item.caller, organizationId: "no-uuid" };

    const call = client.acceptBatch({ items: [item, { ...item, caller: wrongCaller, idempotencyKey: "" }] });

    const error = await expectDomainError(call, "VALIDATION_FAILED");
    expect(error.details).toEqual([
      { field: "items[1].caller.organizationId", code: "string.uuid", message: expect.any(String) },
      { field: "items[1].idempotencyKey", code: "string.min_len", message: expect.any(String) },
    ]);
    expect(calls).toBe(0);
  });

  test("names a missing choice and a map", async () => {
    const { client } = open({ createSession: () => ({}) });
    const metadata = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, ""]));

    const error = await expectDomainError(client.createSession({ metadata }), "VALIDATION_FAILED");

    expect(error.details.map((detail) => [detail.field, detail.code])).toEqual([
      ["metadata", "map.max_pairs"],
      ["template", "required"],
    ]);
  });

  test("tells at most a hundred problems", async () => {
    const { client } = open({ acceptBatch: () => ({}) });
    const items = Array.from({ length: 256 }, () => ({ ...item, idempotencyKey: "" }));

    expect((await expectDomainError(client.acceptBatch({ items }), "VALIDATION_FAILED")).details).toHaveLength(100);
  });

  test("lets a full batch pass", async () => {
    const { client } = open({ acceptBatch: (request) => ({ results: request.items.map(() => ({})) }) });
    const items = Array.from({ length: 256 }, () => item);

    expect((await client.acceptBatch({ items })).results).toHaveLength(256);
  });
});
