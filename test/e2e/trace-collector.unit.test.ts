import { afterEach, expect, test } from "@jest/globals";
import { readSettings } from "#platform/config.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { until } from "#platform/testing/until.ts";
import { tracingSettings } from "#platform/tracing/settings.ts";
import { startTracing, type Tracing } from "#platform/tracing/start-tracing.ts";
import { type OtlpReceiver, startOtlpReceiver } from "../support/otlp-receiver.ts";

/** So many spans may wait, and so many more may be on their way. */
const [mostWaiting, mostOnTheirWay] = [8_192, 512];
const started: { stop(): Promise<void>; close?(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of started.splice(0)) await (one.close ?? one.stop)();
});

async function start(): Promise<{ receiver: OtlpReceiver; tracing: Tracing; record(count: number): void }> {
  const receiver = await startOtlpReceiver();
  const settings = readSettings(tracingSettings, {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_TRACES_SAMPLER_ARG: "1",
  });
  const deps = { logger: createLogger("test", "silent"), metrics: createMetrics() };
  const tracing = await startTracing("test", settings, deps);
  started.push(tracing, { stop: tracing.stop, close: receiver.close });
  const record = (count: number): void => {
    for (let n = 0; n < count; n += 1) {
      tracing.tracer.startSpan("a", "server", undefined, { mayBegin: true }).end();
    }
  };
  return { receiver, tracing, record };
}

test("spans that a silent collector does not take are dropped, and no more than a few thousand are kept for it", async () => {
  const { receiver, record } = await start();
  receiver.behave("silent");
  record(600);
  await until(() => receiver.waiting() > 0);
  record(30_000);
  receiver.behave("taking");
  await until(() => receiver.spans.length >= mostWaiting);
  record(1);
  const kept = receiver.spans.length;
  await until(() => receiver.spans.length > kept);
  expect(receiver.spans.length).toBeLessThanOrEqual(mostWaiting + 2 * mostOnTheirWay + 1);
});

test("a process that stops waits only a moment for a collector that is silent, refuses, or is gone", async () => {
  const stopped = async (how: (receiver: OtlpReceiver) => void | Promise<void>): Promise<number> => {
    const { receiver, tracing, record } = await start();
    record(1_000);
    await how(receiver);
    const began = performance.now();
    await tracing.stop();
    return performance.now() - began;
  };
  const times = await Promise.all([
    stopped((receiver) => receiver.behave("silent")),
    stopped((receiver) => receiver.behave("refusing")),
    stopped((receiver) => receiver.close()),
  ]);
  // It waits for two seconds at most; the rest is for a machine that has much else to do. An export may take five.
  expect(times.filter((ms) => ms > 4_500)).toEqual([]);
});
