// The load generator, a process of its own: reads a LoadPlan as JSON from its input, prints a LoadResult.
// It speaks HTTP/1.1 over plain sockets so that it costs a fraction of what it measures.
import { performance } from "node:perf_hooks";
import { json } from "node:stream/consumers";
import { type Connection, connect } from "./connection.ts";
import type { LoadPlan, LoadResult } from "./plan.ts";
import { buildRequest } from "./request.ts";

/** Counts answers and keeps their latencies. */
class Recorder {
  readonly #latencies: number[] = [];
  readonly #statuses: Record<string, number> = {};

  add(status: number, milliseconds: number): void {
    this.#latencies.push(milliseconds);
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
  }

  result(seconds: number): Omit<LoadResult, "cpuMs"> {
    const sorted = Float64Array.from(this.#latencies).sort();
    const quantile = (q: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
    return {
      requests: sorted.length,
      seconds,
      perSecond: sorted.length / seconds,
      statuses: this.#statuses,
      latencyMs: { p50: quantile(0.5), p90: quantile(0.9), p99: quantile(0.99), max: quantile(1) },
    };
  }
}

const plan = (await json(process.stdin)) as LoadPlan;
process.stdout.write(`${JSON.stringify(await generate(plan))}\n`);

async function generate(load: LoadPlan): Promise<LoadResult> {
  const url = new URL(load.url);
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => connect(url.hostname, Number(url.port))),
  );
  const record = new Recorder();
  let sequence = load.firstNumber ?? 0;
  const next = () => buildRequest(load, url, sequence++);
  await runPhase(connections, load, load.warmupSeconds, next, new Recorder());
  const started = performance.now();
  const cpu = process.cpuUsage();
  await runPhase(connections, load, load.seconds, next, record);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  for (const connection of connections) connection.close();
  return { ...record.result(seconds), cpuMs: (user + system) / 1000 };
}

async function runPhase(
  connections: readonly Connection[],
  load: LoadPlan,
  seconds: number,
  next: () => Buffer,
  record: Recorder,
): Promise<void> {
  const end = performance.now() + seconds * 1000;
  if (load.ratePerSecond === undefined) {
    await Promise.all(connections.map((connection) => closedLoop(connection, end, next, record)));
  } else {
    await openLoop(connections, load.ratePerSecond, end, next, record);
  }
}

/** Each connection sends its next request when the last one is answered: measures capacity. */
async function closedLoop(connection: Connection, end: number, next: () => Buffer, record: Recorder): Promise<void> {
  while (performance.now() < end) {
    const started = performance.now();
    record.add(await connection.send(next()), performance.now() - started);
  }
}

/** Requests start at fixed times whether or not earlier ones are answered: measures latency without flattery. */
async function openLoop(
  connections: readonly Connection[],
  rate: number,
  end: number,
  next: () => Buffer,
  record: Recorder,
): Promise<void> {
  const idle = [...connections];
  const waiting: number[] = [];
  const inFlight = new Set<Promise<void>>();
  const dispatch = () => {
    while (idle.length > 0 && waiting.length > 0) {
      // In turn, because a server closes a connection that sends nothing.
      const connection = idle.shift() as Connection;
      const due = waiting.shift() as number;
      const call = connection.send(next()).then((status) => {
        record.add(status, performance.now() - due);
        idle.push(connection);
        inFlight.delete(call);
        dispatch();
      });
      inFlight.add(call);
    }
  };
  let due = performance.now();
  while (due < end) {
    const now = performance.now();
    for (; due <= now; due += 1000 / rate) waiting.push(due);
    dispatch();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  while (inFlight.size > 0) await Promise.all(inFlight);
}
