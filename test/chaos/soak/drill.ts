// `npm run drill:soak`: two gateways and clicks and one of each other process at half of what they can do, with a bit of
// everything that customers do, for as long as is wanted: memory, files, connections and latencies must stay what they are.
// npm run drill:soak -- --minutes 60 --seed 7      npm run drill:soak -- --minutes 10 --rate 40
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { createLogger } from "#platform/logger.ts";
import { stopOnSignals } from "#platform/service.ts";
import { until } from "#platform/testing/until.ts";
import { type Cluster, startCluster } from "../accept-history/cluster.ts";
import { createRandom } from "../accept-history/random.ts";
import { type Customer, createCustomer } from "./customer.ts";
import { type SoakLoad, startSoakLoad } from "./load.ts";
import { createSampler, type Sampler } from "./samples.ts";
import { isFlat, verdictOf } from "./slopes.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "10" },
    /** Requests a second; 0 is half of what is found to be possible. */
    rate: { type: "string", default: "0" },
  },
});
const seconds = Number(values.minutes) * 60;
/** Caches fill, code is compiled, pools open: a third of the time, ten minutes at most. */
const warmUp = Math.min(seconds / 3, 600);
const between = Math.max(5, Math.min(30, seconds / 24));
const callers = 32;
const calibration = Math.min(20, seconds / 6);
const violations: string[] = [];

const folder = mkdtempSync(join(tmpdir(), "assent-soak-"));
const probe = join(import.meta.dirname, "probe.ts");
const probed = {
  SOAK_FOLDER: folder,
  NODE_OPTIONS: `--expose-gc --disable-warning=ExperimentalWarning --import=${probe}`,
};
const names = ["gateway", "gateway-2", "auth", "templates", "click", "click-2", "docgen", "sign", "webhooks"];
const cluster = await startCluster({
  ...{ gateways: 2, clicks: 2, keepsProcesses: true },
  environments: async () => new Map(names.map((name) => [name, probed])),
});
const inspector = new pg.Pool({ connectionString: cluster.inspectUrl, max: 1 });
const stop = async (): Promise<void> => {
  await inspector.end();
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
};
stopOnSignals(stop, createLogger("drill", "silent"));
try {
  await drill(cluster);
} finally {
  await stop();
}

async function drill({ admin, running }: Cluster): Promise<void> {
  const customer = await createCustomer(admin, running.baseUrls);
  const random = createRandom(Number(values.seed));
  const perSecond = Number(values.rate) > 0 ? Number(values.rate) : (await capacityOf(customer)) / 2;
  process.stdout.write(`seed ${values.seed}, ${perSecond.toFixed(1)} requests/s for ${values.minutes} minutes\n`);
  const load = startSoakLoad({ ...customer, random, perSecond, callers, window: between });
  const sampler = createSampler(running.processes, inspector, folder);
  await watch(load, sampler);
  await load.stop();
  await checkEffects(customer);
  await customer.close();
  report(load, sampler);
}

/** As many as are answered when nobody waits, with the same mix. */
async function capacityOf(customer: Customer): Promise<number> {
  const shares = customer.shares.map((share) => ({
    ...share,
    perform: (n: number) => share.perform(n + 1_000_000_000),
  }));
  const load = startSoakLoad({ shares, random: createRandom(0), perSecond: 0, callers: 16, window: calibration });
  await delay(calibration * 1_000);
  const answered = load.answered();
  await load.stop();
  return answered / calibration;
}

async function watch(load: SoakLoad, sampler: Sampler): Promise<void> {
  const began = performance.now();
  const elapsed = (): number => (performance.now() - began) / 1_000;
  let answered = 0;
  // A sample may take longer than there is between two on a machine with much else to do.
  for (let at = between; at <= seconds; at = Math.max(at + between, elapsed())) {
    await delay(Math.max(0, at - elapsed()) * 1_000);
    if (at <= warmUp) {
      answered = load.answered();
      continue;
    }
    await sampler.sample(elapsed());
    const p99 = load.p99.get("accept")?.at(-1)?.value ?? 0;
    const since = load.answered() - answered;
    answered = load.answered();
    process.stderr.write(
      `${elapsed().toFixed(0).padStart(5)} s  ${since} answered, p99 of accept ${p99.toFixed(0)} ms, latest loop ${sampler.lateLoop()}\n`,
    );
  }
}

/** Nothing was lost or done twice over all that time. */
async function checkEffects(customer: Customer): Promise<void> {
  const stored = async (): Promise<number> => {
    const { rows } = await inspector.query<{ n: number }>(
      "select count(*)::int as n from click.acceptance where organization_id = $1",
      [customer.organizationId],
    );
    return rows[0]?.n ?? 0;
  };
  // The one that there was to read.
  const expected = customer.accepted() + 1;
  const found = await stored();
  if (found !== expected) violations.push(`${expected} acceptances were answered and ${found} are stored`);
  const waiting = async (): Promise<number> => {
    const { rows } = await inspector.query<{ n: number }>(
      "select count(*)::int as n from webhooks.delivery where organization_id = $1 and status <> 'delivered'",
      [customer.organizationId],
    );
    return rows[0]?.n ?? 0;
  };
  await until(async () => (await waiting()) === 0 && customer.told() >= expected, 180_000).catch(() =>
    violations.push("not every event was delivered three minutes after the load"),
  );
}

function report(load: SoakLoad, sampler: Sampler): void {
  const verdicts = sampler.series().map(verdictOf);
  const cells = verdicts.map(({ name, unit, first, last, rise, allowed }) =>
    [
      name.padEnd(12),
      unit.padEnd(16),
      ...[first, last, rise, allowed].map((value) => value.toFixed(1).padStart(9)),
    ].join("  "),
  );
  process.stdout.write(
    `${["process     ", "what            ", "    first", "     last", "     rise", "  allowed"].join("  ")}\n`,
  );
  process.stdout.write(cells.map((text) => `${text}\n`).join(""));
  for (const { name, unit, rise, allowed } of verdicts) {
    if (rise > allowed)
      violations.push(`${name}: ${unit} rises by ${rise.toFixed(1)}, and may by ${allowed.toFixed(1)}`);
  }
  for (const [name, points] of load.p99) {
    const watched = points.filter(({ at }) => at > warmUp);
    process.stdout.write(`p99 of ${name}: ${watched.map(({ value }) => value.toFixed(0)).join(" ")} ms\n`);
    // The others are too few for their slowest to say anything.
    if (name === "accept" && !isFlat(watched)) violations.push(`p99 of ${name} rises`);
  }
  violations.push(...load.failures.slice(0, 10));
  process.stdout.write(violations.map((text) => `  ${text}\n`).join(""));
  process.stdout.write(
    violations.length === 0 ? `${load.answered()} requests, no violation\n` : `${violations.length} violations\n`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}
