import { setTimeout as delay } from "node:timers/promises";
import { until } from "#platform/testing/until.ts";
import type { ManagedProcess } from "../../../dev/distributed.ts";
import type { LifecycleCluster } from "./cluster.ts";
import type { Load, LoadReport } from "./load.ts";

/** How a process ended that was told to. */
export interface Ending {
  readonly process: string;
  readonly code: number | null;
  readonly ms: number;
}

const allServices = ["auth", "templates", "docgen", "click", "sign", "webhooks", "gateway"];
const patienceMs = 180_000;

/** Some requests that come through, after which the load has seen the state of things. */
export async function calm(load: Load, requests = 20): Promise<LoadReport> {
  const first = load.look();
  let seen = first.requests;
  let report = first;
  await until(() => {
    const next = load.look();
    report = together(report, next);
    seen += next.requests;
    return seen >= requests;
  }, patienceMs);
  return report;
}

/** Every process of these services ends and comes back, one copy after the other, `atOnce` at a time; or those of one copy. */
export async function rollingRestart(
  { running }: LifecycleCluster,
  atOnce: number,
  only?: number,
  services: readonly string[] = allServices,
): Promise<Ending[]> {
  const endings: Ending[] = [];
  const copies = Math.max(...services.map((service) => running.of(service).length));
  for (let copy = only ?? 0; copy < (only === undefined ? copies : only + 1); copy += 1) {
    for (let first = 0; first < services.length; first += atOnce) {
      const wave = services.slice(first, first + atOnce).map((service) => running.of(service)[copy]);
      const present = wave.filter((process) => process !== undefined);
      endings.push(...(await Promise.all(present.map(restart))));
    }
  }
  return endings;
}

async function restart(process: ManagedProcess): Promise<Ending> {
  const ending = await end(process);
  await process.start();
  return ending;
}

/** Tells every process to stop, all at once, while requests come. */
export const endAll = ({ running }: LifecycleCluster): Promise<Ending[]> => Promise.all(running.processes.map(end));

async function end(process: ManagedProcess): Promise<Ending> {
  const began = performance.now();
  const code = await process.stop();
  return { process: process.name, code, ms: Math.round(performance.now() - began) };
}

/** One copy of every service dies without a word at the same moment, and is back after a while. */
export async function killOneOfEach({ running }: LifecycleCluster, copy: number, awayMs: number): Promise<void> {
  const victims = allServices.map((service) => running.of(service)[copy]).filter((process) => process !== undefined);
  for (const victim of victims) victim.kill("SIGKILL");
  await Promise.all(victims.map((victim) => victim.exited()));
  await delay(awayMs);
  await Promise.all(victims.map((victim) => victim.start()));
}

export interface Outage {
  readonly waiting: number;
  readonly drainedSeconds: number;
}

/** The bus is away, comes back, and all events of the time are heard. */
export async function natsAway(cluster: LifecycleCluster, load: Load, awayMs: number): Promise<Outage> {
  await cluster.nats.kill();
  await delay(awayMs);
  const accepted = [...load.receipts.values()];
  const waiting = accepted.length - heard(cluster, accepted);
  await cluster.nats.restart();
  const began = performance.now();
  await until(() => heard(cluster, accepted) === accepted.length, patienceMs);
  return { waiting, drainedSeconds: (performance.now() - began) / 1_000 };
}

/** How many of the receipts were announced. */
function heard({ events }: LifecycleCluster, receipts: readonly string[]): number {
  const announced = new Set(
    events.of("assent.click.acceptance.recorded").map((event) => event.acceptanceRecorded?.receiptId ?? ""),
  );
  return receipts.filter((id) => announced.has(id)).length;
}

/** The database breaks off all sessions, recovers and is back. */
export async function crashPostgres({ postgres }: LifecycleCluster, awayMs: number): Promise<void> {
  await postgres.kill("immediate");
  await delay(awayMs);
  await postgres.restart();
}

export const together = (one: LoadReport, other: LoadReport): LoadReport => ({
  requests: one.requests + other.requests,
  unavailable: one.unavailable + other.unavailable,
  refused: one.refused + other.refused,
  broken: one.broken + other.broken,
  failures: [...one.failures, ...other.failures],
  longestMs: Math.max(one.longestMs, other.longestMs),
});

/** Works on all of these, so many at a time. */
export async function someAtATime<T>(
  count: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const take = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: count }, take));
}
