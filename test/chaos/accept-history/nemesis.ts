import { setTimeout as delay } from "node:timers/promises";
import type { Cluster } from "./cluster.ts";
import type { Fault, Faults } from "./faults.ts";
import type { Incident } from "./history.ts";
import type { Random } from "./random.ts";

export interface NemesisContext {
  readonly cluster: Cluster;
  readonly faults: Faults;
  readonly random: Random;
  now(): number;
  record(incident: Incident): void;
  /** No fault begins after this, once each kind has happened. */
  readonly stop: AbortSignal;
}

/** Milliseconds. */
const lasts: Readonly<Record<Track, readonly [number, number]>> = { process: [200, 1_200], network: [200, 1_000] };
const rests: Readonly<Record<Track, readonly [number, number]>> = { process: [200, 800], network: [100, 600] };

type Track = keyof Faults;

/** Two things go wrong at a time: one with a process or a server, one with a connection. */
export async function runNemesis(context: NemesisContext): Promise<void> {
  await Promise.all([runTrack(context, "process", 0), runTrack(context, "network", 1)]);
}

async function runTrack(context: NemesisContext, track: Track, part: number): Promise<void> {
  const random = context.random.fork(part);
  const kinds = Object.values(context.faults[track]);
  for (let round = 0; kinds.length > 0 && (round === 0 || !context.stop.aborted); round += 1) {
    for (const kind of random.shuffle(kinds)) {
      if (round > 0 && context.stop.aborted) return;
      await delay(random.between(...rests[track]));
      await happen(context, kind(context.cluster, random), random.between(...lasts[track]));
    }
  }
}

async function happen({ now, record }: NemesisContext, fault: Fault, forMs: number): Promise<void> {
  record({ fault: fault.name, at: now(), phase: "begins" });
  try {
    await fault.begin();
    await delay(forMs);
  } finally {
    await fault.end();
  }
  record({ fault: fault.name, at: now(), phase: "ends" });
}
