// Both kinds of consumers as a process that can be told to die after a commit that it has not acknowledged yet.
import { createPool } from "#platform/db/pool.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { createConsumer } from "#platform/events/consume.ts";
import { createBatchConsumer } from "#platform/events/consume-batches.ts";
import { openChild } from "./child.ts";
import { consumers, countOrders, schema, subject, writerRole } from "./shop.ts";

const { databaseUrl, bus, logger, metrics, perhapsDie, ready } = openChild("consumer");
const mortal: EventBus = {
  ...bus,
  subscribe: (options) =>
    bus.subscribe({
      ...options,
      handle: async (event) => {
        await options.handle(event);
        perhapsDie();
      },
    }),
};
const base = {
  bus: mortal,
  pool: createPool({ url: databaseUrl, role: writerRole, max: 8, name: "consumer" }),
  schema,
  subjects: [subject],
  // A drill kills more often than an event may fail.
  maxDeliver: 10_000,
  ackWaitMs: 2_000,
  backoffMs: [100],
  logger,
  metrics,
};
const [single, batched] = consumers;
await createConsumer({
  ...base,
  durable: single,
  concurrency: 6,
  apply: ({ client }, event) => countOrders(client, single, [event]),
}).start();
await createBatchConsumer({
  ...base,
  durable: batched,
  applyBatch: ({ client }, events) => countOrders(client, batched, events),
}).start();
ready();
