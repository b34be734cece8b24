import { setTimeout as delay } from "node:timers/promises";
import type { FaultMode } from "#platform/net/fault-proxy.ts";
import type { ManagedProcess } from "../../../dev/distributed.ts";
import type { Cluster, Link } from "./cluster.ts";
import type { Random } from "./random.ts";

/** Something that goes wrong, and its end. */
export interface Fault {
  readonly name: string;
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

export type FaultKind = (cluster: Cluster, random: Random) => Fault;

/** What may go wrong in a run: one of each at a time. */
export interface Faults {
  readonly process: Readonly<Record<string, FaultKind>>;
  readonly network: Readonly<Record<string, FaultKind>>;
}

/** What happens to processes and servers; one at a time, because one end must not undo another's beginning. */
export const processFaults: Readonly<Record<string, FaultKind>> = {
  "kill a click": (cluster, random) => killed(random.pick(cluster.running.of("click"))),
  "kill a gateway": (cluster, random) => killed(random.pick(cluster.running.of("gateway"))),
  "kill a templates": (cluster, random) => killed(random.pick(cluster.running.of("templates"))),
  "pause a click": (cluster, random) => paused(random.pick(cluster.running.of("click"))),
  "pause a gateway": (cluster, random) => paused(random.pick(cluster.running.of("gateway"))),
  "crash Postgres": ({ postgres }) => ({
    name: "crash Postgres",
    begin: () => postgres.kill("immediate"),
    end: postgres.restart,
  }),
  "crash NATS": ({ nats }) => ({ name: "crash NATS", begin: nats.kill, end: nats.restart }),
};

const ways = ["cut", "slow", "hold-answers", "refuse"] as const;
const pairs = ["postgres", "gateways", "nats"] as const;

/** Nothing but processes that die, so that most of the time is spent on accepting. */
export const killsOnly: Faults = {
  process: Object.fromEntries(Object.entries(processFaults).filter(([name]) => name.startsWith("kill "))),
  network: {},
};

/** What happens to connections of clicks: each way to each pair. */
export const networkFaults: Readonly<Record<string, FaultKind>> = Object.fromEntries(
  pairs.flatMap((pair) =>
    ways.map((way): [string, FaultKind] => [
      `${way} ${pair}`,
      ({ links }, random) =>
        broken(random.pick(links.filter(({ name }) => name.includes("click") && name.includes(pair))), way),
    ]),
  ),
);

function killed(process: ManagedProcess): Fault {
  return {
    name: `kill ${process.name}`,
    begin: async () => {
      process.kill("SIGKILL");
      await process.exited();
    },
    end: () => startAgain(process),
  };
}

const paused = (process: ManagedProcess): Fault => ({
  name: `pause ${process.name}`,
  begin: () => process.kill("SIGSTOP"),
  end: () => process.kill("SIGCONT"),
});

function broken({ name, proxy }: Link, way: (typeof ways)[number]): Fault {
  const mode: FaultMode = way === "cut" ? "pass" : way;
  return {
    name: `${way} ${name}`,
    begin: () => {
      proxy.setMode(mode);
      if (way === "cut" || way === "refuse") proxy.cut();
    },
    end: () => {
      // What was held back is lost: nobody hears what was committed meanwhile.
      if (way === "hold-answers") proxy.cut();
      proxy.setMode("pass");
    },
  };
}

/** With all of the product in one process nothing else can break that it would survive by itself. */
export const singleFaults: Faults = {
  process: {
    "kill the process": ({ running }, random) => {
      const fault = killed(random.pick(running.processes));
      return {
        ...fault,
        end: async () => {
          await fault.end();
          // Started again takes seconds, and something should be done between two deaths.
          await delay(random.between(4_000, 8_000));
        },
      };
    },
  },
  network: {},
};

const starts = 5;

/** A process does not start while what it needs is away, and the other faults go on meanwhile. */
async function startAgain(process: ManagedProcess): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await process.start();
    } catch (error) {
      if (attempt === starts) throw error;
      await process.stop();
    }
  }
}
