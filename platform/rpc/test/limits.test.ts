import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { describe, expect, test } from "@jest/globals";
import { until } from "../../testing/until.ts";
import { clickClient, failureOf, useResources, wires } from "./harness.ts";

/** Rejects with the reason when the call is aborted. */
const aborted = (context: HandlerContext): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (context.signal.aborted) reject(context.signal.reason);
    else context.signal.addEventListener("abort", () => reject(context.signal.reason));
  });

const resources = useResources();

describe.each(wires(resources))("a call over %s", (_name, open) => {
  test("ends at its deadline and aborts the handler", async () => {
    let reason: unknown;
    let left: number | undefined;
    const transport = await open({
      getReceipt: async (_request, context) => {
        left = context.timeoutMs();
        await aborted(context).catch((error: unknown) => {
          reason = error;
        });
        return {};
      },
    });

    const error = await failureOf(clickClient(transport).getReceipt({}, { timeoutMs: 200 }));

    expect(error.code).toBe(Code.DeadlineExceeded);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(200);
    expect(await until(() => reason)).toBeInstanceOf(ConnectError);
  });

  test("ends at the transport's deadline when it sets none", async () => {
    const transport = await open({ getReceipt: (_request, context) => aborted(context) }, { defaultTimeoutMs: 50 });

    expect((await failureOf(clickClient(transport).getReceipt({}))).code).toBe(Code.DeadlineExceeded);
  });

  test.each([0, -5])("fails at once when %d ms are left", async (timeoutMs) => {
    const transport = await open({ getReceipt: () => ({}) });

    const error = await failureOf(clickClient(transport).getReceipt({}, { timeoutMs }));

    expect(error.code).toBe(Code.DeadlineExceeded);
  });

  test("ends when the caller cancels it and aborts the handler", async () => {
    const controller = new AbortController();
    let isAborted = false;
    const transport = await open({
      getReceipt: async (_request, context) => {
        controller.abort();
        await aborted(context).catch(() => {
          isAborted = true;
        });
        return {};
      },
    });

    const error = await failureOf(clickClient(transport).getReceipt({}, { signal: controller.signal }));

    expect(error.code).toBe(Code.Canceled);
    await until(() => isAborted);
  });

  test("does not start when the caller has cancelled it before", async () => {
    let calls = 0;
    const transport = await open({
      getReceipt: () => {
        calls += 1;
        return {};
      },
    });

    const error = await failureOf(clickClient(transport).getReceipt({}, { signal: AbortSignal.abort() }));

    expect(error.code).toBe(Code.Canceled);
    expect(calls).toBe(0);
  });

  test("fails with the reason that a caller gives for cancelling", async () => {
    const transport = await open({ getReceipt: (_request, context) => aborted(context) });
    const reason = new ConnectError("our own deadline", Code.DeadlineExceeded);
    const controller = new AbortController();
    const call = clickClient(transport).getReceipt({}, { signal: controller.signal });
    controller.abort(reason);

    expect(await failureOf(call)).toBe(reason);
  });

  test("refuses a request that is too large", async () => {
    const transport = await open({ getReceipt: () => ({}) }, { maxMessageBytes: 10_000 });
    const client = clickClient(transport);

    const error = await failureOf(client.getReceipt({ receiptId: "x".repeat(11_000) }));

    expect(error.code).toBe(Code.ResourceExhausted);
    expect(await client.getReceipt({ receiptId: "x".repeat(9_000) })).toBeDefined();
  });

  test("refuses a request over 4 MiB when no limit is given", async () => {
    const transport = await open({ getReceipt: () => ({}) });

    const error = await failureOf(clickClient(transport).getReceipt({ receiptId: "x".repeat(5 * 1024 * 1024) }));

    expect(error.code).toBe(Code.ResourceExhausted);
  });

  test("refuses an answer that is too large", async () => {
    const transport = await open(
      { getReceipt: () => ({ receiptJson: "x".repeat(11_000) }) },
      { maxMessageBytes: 10_000 },
    );

    expect((await failureOf(clickClient(transport).getReceipt({}))).code).toBe(Code.ResourceExhausted);
  });
});
