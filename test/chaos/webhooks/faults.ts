import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../accept-history/random.ts";
import { type Cluster, type Life, processCount } from "./cluster.ts";

type Fault = (cluster: Cluster, random: Random, life: Life) => Promise<void>;

const shortMs = [200, 900] as const;

/** What goes wrong, one after the other; each ends with everything at work again. */
export const faults: Readonly<Record<string, Fault>> = {
  "a process dies and comes again": async (cluster, random, life) => {
    const number = random.integer(processCount);
    await cluster.kill(number);
    await delay(random.between(...shortMs));
    await cluster.start(number, life);
  },
  "NATS is away for longer than it knows duplicates": async ({ store }, random) => {
    await store.halt();
    await delay(random.between(300, 1_200));
    await store.resume();
  },
  "connections to the database break": async ({ databases }, random) => {
    for (let n = 0; n < 3; n += 1) {
      random.pick(databases).cut();
      await delay(random.between(50, 200));
    }
  },
  "a process does not hear from the database": async ({ databases }, random) => {
    const proxy = random.pick(databases);
    proxy.setMode("hold-answers");
    await delay(random.between(...shortMs));
    proxy.cut();
    proxy.setMode("pass");
  },
  "the database is away": async ({ databases }, random) => {
    for (const proxy of databases) {
      proxy.setMode("refuse");
      proxy.cut();
    }
    await delay(random.between(...shortMs));
    for (const proxy of databases) proxy.setMode("pass");
  },
};

/** Every fault once, in an order that the seed decides. Tells of each as it begins. */
export async function runFaults(
  cluster: Cluster,
  random: Random,
  life: Life,
  tell: (fault: string) => void,
): Promise<void> {
  for (const [name, fault] of random.shuffle(Object.entries(faults))) {
    await delay(random.between(50, 300));
    tell(name);
    await fault(cluster, random, life);
  }
}
