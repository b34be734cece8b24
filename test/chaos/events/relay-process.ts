// A relay as a process that can be told to die after a publication that it has not noted yet.
import { systemClock } from "#platform/clock.ts";
import { createPool } from "#platform/db/pool.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { createRelay } from "#platform/outbox/relay.ts";
import { openChild } from "./child.ts";
import { relayRole, schema } from "./shop.ts";

const { databaseUrl, bus, logger, metrics, perhapsDie, ready } = openChild("relay");
const mortal: EventBus = {
  ...bus,
  publish: async (events, mark) => {
    await bus.publish(events, mark);
    // A mark alone, as after a takeover, leaves nothing to be published twice.
    if (events.length > 0) perhapsDie();
  },
};
const relay = createRelay({
  pool: createPool({ url: databaseUrl, role: relayRole, max: 2, name: "relay", synchronousCommit: false }),
  schema,
  service: "shop",
  bus: mortal,
  clock: systemClock,
  logger,
  metrics,
  pollMs: 100,
  leaseMs: 1_000,
});
await relay.start();
ready();
