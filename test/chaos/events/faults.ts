import { setTimeout as delay } from "node:timers/promises";
import { until } from "#platform/testing/until.ts";
import type { Random } from "../accept-history/random.ts";
import type { Cluster } from "./cluster.ts";
import { duplicateWindowMs } from "./event-store.ts";
import type { MortalProcess } from "./mortal-process.ts";

type Fault = (cluster: Cluster, random: Random) => Promise<void>;

/** Longer than the bus knows what it has had. */
const longOutageMs = 5 * duplicateWindowMs;

/** What goes wrong, one after the other; each ends with everything at work again. */
export const faults: Readonly<Record<string, Fault>> = {
  "relays die between publishing and noting it": async ({ relays }) => {
    // The second one takes over from the first, and dies in the same way.
    await Promise.all(relays.map((relay) => relay.dieInTheMiddle()));
    await startAll(relays);
  },
  "relays die there, and NATS is away for longer than it knows duplicates": async ({ relays, store }) => {
    await Promise.all(relays.map((relay) => relay.dieInTheMiddle()));
    const before = await store.contents();
    await store.halt();
    await delay(longOutageMs);
    await store.resume();
    await startAll(relays);
    // The bus takes for new what it was given before: from here on only the inbox knows better.
    await until(async () => (await store.contents()).copies > before.copies, 30_000);
  },
  "consumers die between commit and acknowledgement": async ({ consumers }) => {
    await Promise.all(consumers.map((consumer) => consumer.dieInTheMiddle()));
    await startAll(consumers);
  },
  "NATS is away for longer than it knows duplicates": async ({ store }) => {
    await store.halt();
    await delay(longOutageMs);
    await store.resume();
  },
  "a relay and a consumer die wherever they are": async ({ relays, consumers }, random) => {
    const dying = [random.pick(relays), random.pick(consumers)];
    await Promise.all(
      dying.map(async (one) => {
        await delay(random.between(0, 500));
        await one.kill();
      }),
    );
    await startAll(dying);
  },
  "NATS comes back without its disk": async ({ store }, random) => {
    await store.halt();
    store.wipe();
    await delay(random.between(0, longOutageMs));
    await store.resume();
  },
};

const startAll = async (processes: readonly MortalProcess[]): Promise<void> => {
  await Promise.all(processes.map((one) => one.start()));
};

/** Every fault once, in an order that the seed decides. Tells of each as it begins. */
export async function runFaults(cluster: Cluster, random: Random, tell: (fault: string) => void): Promise<void> {
  for (const [name, fault] of random.shuffle(Object.entries(faults))) {
    await delay(random.between(100, 400));
    tell(name);
    await fault(cluster, random);
  }
}
