// `npm run drill:events`: relays and consumers that die, NATS that goes away and loses its disk, and what came of it.
// npm run drill:events -- --seed 7 --rounds 2 --rate 200 --outage 60
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createLogger } from "#platform/logger.ts";
import { stopOnSignals } from "#platform/service.ts";
import { until } from "#platform/testing/until.ts";
import { createRandom } from "../accept-history/random.ts";
import { checkEvents } from "./check.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { runFaults } from "./faults.ts";
import { lastPosition, lateness, observe, observeOutbox, untilQuiet, waiting } from "./observe.ts";
import { startWriters } from "./writers.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    /** How often each fault happens. */
    rounds: { type: "string", default: "2" },
    /** Events a second. */
    rate: { type: "string", default: "200" },
    /** Seconds without NATS. */
    outage: { type: "string", default: "60" },
  },
});
const seed = Number(values.seed);
const calmSeconds = 20;
const drainedWithinSeconds = 60;
const promisedP99Ms = 1_000;
const shown = 20;

const cluster = await startCluster();
stopOnSignals(cluster.stop, createLogger("drill", "silent"));
try {
  await drill(cluster);
} finally {
  await cluster.stop();
}

async function drill({ inspector, store, writer }: Cluster): Promise<void> {
  const random = createRandom(seed);
  const writers = startWriters(writer, random.fork(0), Number(values.rate));
  let happened = 0;
  const late = await calmLateness();
  for (let round = 0; round < Number(values.rounds); round += 1) {
    await runFaults(cluster, random.fork(1 + round), (fault) => {
      happened += 1;
      process.stderr.write(`${fault}\n`);
    });
  }
  const outage = await longOutage();
  await writers.stop();
  await untilQuiet(cluster, 300_000);
  const violations = checkEvents(writers.written, await observeOutbox(inspector), await observe(inspector));
  const { messages, copies } = await store.contents();
  const table: readonly (readonly [string, unknown])[] = [
    ["seed", seed],
    ["faults", happened],
    ["events", writers.written.committed.size],
    ["taken back", writers.written.rolledBack.size],
    ["messages", messages],
    ["copies", copies],
    ["p50 ms", Math.round(late.p50)],
    ["p99 ms", Math.round(late.p99)],
    ["outage s", values.outage],
    ["waiting", outage.waiting],
    ["drained s", outage.drainedSeconds.toFixed(1)],
    ["violations", violations.length],
  ];
  const row = (cells: readonly string[]) =>
    `${cells.map((cell, n) => cell.padStart(Math.max(...(table[n] ?? []).map((text) => String(text).length)))).join("  ")}\n`;
  process.stdout.write(row(table.map(([name]) => name)) + row(table.map(([, value]) => String(value))));
  process.stdout.write(
    violations
      .slice(0, shown)
      .map((text) => `  ${text}\n`)
      .join(""),
  );
  const isKept = outage.drainedSeconds <= drainedWithinSeconds && late.p99 <= promisedP99Ms;
  process.exitCode = violations.length === 0 && isKept ? 0 : 1;

  /** While nothing is wrong. */
  async function calmLateness() {
    await delay(2_000);
    const from = new Date();
    await delay(calmSeconds * 1_000);
    return lateness(inspector, from, new Date());
  }

  /** How many effects wait when NATS is back, and how long until they have all happened while more events come. */
  async function longOutage() {
    process.stderr.write(`NATS is away for ${values.outage} s\n`);
    await store.halt();
    await delay(Number(values.outage) * 1_000);
    const upTo = await lastPosition(inspector);
    const left = await waiting(inspector, upTo);
    await store.resume();
    const began = performance.now();
    await until(async () => (await waiting(inspector, upTo)) === 0, 600_000);
    return { waiting: left, drainedSeconds: (performance.now() - began) / 1_000 };
  }
}
