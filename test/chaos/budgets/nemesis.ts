import { setTimeout as delay } from "node:timers/promises";
import type { ManagedProcess } from "../../../dev/distributed.ts";
import type { Cluster, Link } from "../accept-history/cluster.ts";
import type { Random } from "../accept-history/random.ts";
import type { FaultKind, Incident } from "./history.ts";

export interface NemesisContext {
  readonly cluster: Cluster;
  readonly random: Random;
  now(): number;
  /** Milliseconds until the next window ends. */
  untilWindowEnds(): number;
  record(incident: Incident): void;
  /** No fault begins after this, once each kind has happened. */
  readonly stop: AbortSignal;
}

/** Something that goes wrong with one gateway, or with all, and its end. */
interface Fault {
  readonly gateway: string | undefined;
  /** Milliseconds. */
  readonly lasts: readonly [number, number];
  begin(): Promise<unknown> | unknown;
  end(): Promise<unknown> | unknown;
}

const rests = [300, 900] as const;
/** Nearer to the end of a window than this, a gateway is paused until the next one has begun. */
const boundaryMs = 2_500;

/** One thing goes wrong at a time, and whenever a window ends some gateway is asleep. */
export async function runNemesis(context: NemesisContext): Promise<void> {
  const { random, stop, untilWindowEnds } = context;
  const kinds = Object.keys(faults) as FaultKind[];
  for (let round = 0; round === 0 || !stop.aborted; round += 1) {
    const left = random.shuffle(kinds);
    while (left.length > 0 && (round === 0 || !stop.aborted)) {
      const atBoundary = untilWindowEnds() < boundaryMs;
      const kind = atBoundary ? "pause a gateway" : (left.shift() as FaultKind);
      const fault = faults[kind](context.cluster, random);
      const forMs = atBoundary ? untilWindowEnds() + random.between(200, 2_500) : random.between(...fault.lasts);
      await happen(context, kind, fault, forMs);
      await delay(random.between(...rests));
    }
  }
}

async function happen({ now, record }: NemesisContext, kind: FaultKind, fault: Fault, forMs: number): Promise<void> {
  const begins = now();
  let full = { from: begins, to: begins };
  try {
    await fault.begin();
    const from = now();
    await delay(forMs);
    full = { from, to: now() };
  } finally {
    await fault.end();
  }
  record({ fault: kind, gateway: fault.gateway, whole: { from: begins, to: now() }, full });
}

const faults: Readonly<Record<FaultKind, (cluster: Cluster, random: Random) => Fault>> = {
  "crash the database": ({ postgres }) => ({
    gateway: undefined,
    lasts: [200, 1_200],
    begin: () => postgres.kill("immediate"),
    end: postgres.restart,
  }),
  "kill a gateway": ({ running }, random) => killed(random.pick(running.of("gateway"))),
  "pause a gateway": ({ running }, random) => paused(random.pick(running.of("gateway"))),
  "cut the database off once": ({ links }, random) =>
    onLink(pickLink(links, random), [0, 100], {
      begin: ({ proxy }) => proxy.cut(),
      end: () => undefined,
    }),
  "keep the database off": ({ links }, random) =>
    onLink(pickLink(links, random), [500, 2_000], {
      begin: ({ proxy }) => {
        proxy.setMode("refuse");
        proxy.cut();
      },
      end: ({ proxy }) => proxy.setMode("pass"),
    }),
  "mute the database": ({ links }, random) =>
    onLink(pickLink(links, random), [2_500, 4_500], {
      begin: ({ proxy }) => proxy.setMode("hold-answers"),
      end: ({ proxy }) => {
        // What was counted meanwhile stays counted, and nobody hears of it.
        proxy.cut();
        proxy.setMode("pass");
      },
    }),
};

const killed = (process: ManagedProcess): Fault => ({
  gateway: process.name,
  lasts: [0, 500],
  begin: async () => {
    process.kill("SIGKILL");
    await process.exited();
  },
  end: process.start,
});

const paused = (process: ManagedProcess): Fault => ({
  gateway: process.name,
  lasts: [500, 3_500],
  begin: () => process.kill("SIGSTOP"),
  end: () => process.kill("SIGCONT"),
});

const linkName = " and postgres";

function pickLink(links: readonly Link[], random: Random): Link {
  return random.pick(links.filter(({ name }) => name.startsWith("gateway") && name.endsWith(linkName)));
}

const onLink = (
  link: Link,
  lasts: readonly [number, number],
  { begin, end }: { begin(link: Link): void; end(link: Link): void },
): Fault => ({
  gateway: link.name.slice(0, -linkName.length),
  lasts,
  begin: () => begin(link),
  end: () => end(link),
});
