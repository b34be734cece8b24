// `npm run drill:upgrade`: the last release, or that of a commit, under load, whose database is migrated to this one, and whose
// processes are replaced by those of this one and back again. Shows what customers saw of it: no request fails.
// npm run drill:upgrade -- v0.1.0 --rate 20 --requests 400
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createLogger } from "#platform/logger.ts";
import { createAuthority } from "#platform/rpc/test/certificates.ts";
import { stopOnSignals } from "#platform/service.ts";
import { migrateAll } from "../../dev/migrations.ts";
import { createRandom } from "../chaos/accept-history/random.ts";
import { problemsOf } from "../chaos/lifecycle/check.ts";
import { type LifecycleCluster, startLifecycleCluster } from "../chaos/lifecycle/cluster.ts";
import { type LoadReport, noReport, startLoad } from "../chaos/lifecycle/load.ts";
import { calm, type Ending, rollingRestart, together } from "../chaos/lifecycle/steps.ts";

export interface UpgradeOptions {
  /** The commit of the release to begin with; the last one when absent. */
  readonly from?: string | undefined;
  /** The folder of the release to end with; this one when absent. */
  readonly to?: string;
  readonly seed: number;
  /** Requests a second. */
  readonly rate: number;
  /** As many in each step. */
  readonly requests: number;
  /** How many services are replaced at a time. */
  readonly atOnce: number;
  told?(step: string, report: LoadReport, seconds: number): void;
  /** Gets what ends it before its time. */
  started?(stop: () => Promise<void>): void;
}

export interface UpgradeReport {
  readonly load: LoadReport;
  readonly acceptances: number;
  readonly migrations: number;
  readonly violations: readonly string[];
}

const root = join(import.meta.dirname, "../..");
const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
const logger = createLogger("drill", "silent");

export async function runUpgrade(options: UpgradeOptions): Promise<UpgradeReport> {
  /** The last release is the commit that its promises were kept with. */
  const { from = git("log", "-1", "--format=%H", "--", "test/released/contracts.binpb.gz"), to = root } = options;
  const former = checkOut(git("rev-parse", "--verify", `${from}^{commit}`));
  /** Which release the first and the second copy of each process run. */
  let folders = [former, former];
  const cluster = await startLifecycleCluster({
    environments: certificates,
    folderOf: (name) => folders[/-2$/.test(name) ? 1 : 0] ?? to,
    migrate: async (databaseUrl) => {
      const env = { ...process.env, DATABASE_URL: databaseUrl, SERVICE_LOGIN: "" };
      execFileSync(process.execPath, ["dev/migrate.ts"], { cwd: former, env, stdio: "ignore" });
    },
  });
  options.started?.(cluster.stop);
  const replace = (copy: number, folder: string): Promise<Ending[]> => {
    folders = folders.with(copy, folder);
    return rollingRestart(cluster, options.atOnce, copy);
  };
  try {
    return await drill(cluster, options, { former, to, replace });
  } finally {
    await cluster.stop();
  }
}

interface Replacing {
  readonly former: string;
  readonly to: string;
  replace(copy: number, folder: string): Promise<Ending[]>;
}

async function drill(
  cluster: LifecycleCluster,
  { seed, rate, requests, told }: UpgradeOptions,
  { former, to, replace }: Replacing,
): Promise<UpgradeReport> {
  const violations: string[] = [];
  let all = noReport;
  let migrations = 0;
  const tell = (name: string, report: LoadReport, seconds: number): void => {
    violations.push(...report.failures.map((failure) => `${name}: ${failure}`));
    all = together(all, report);
    told?.(name, report, seconds);
  };
  const load = startLoad(cluster.visitor, { random: createRandom(seed), perSecond: rate });
  const step = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    load.look();
    const began = performance.now();
    await work();
    const report = together(load.look(), await calm(load, requests));
    tell(name, report, (performance.now() - began) / 1_000);
  };
  const roll = (copy: number, folder: string) => async (): Promise<void> => {
    const endings = await replace(copy, folder);
    violations.push(...endings.filter(({ code }) => code !== 0).map((ending) => `${ending.process} did not end well`));
  };
  await step("the former release alone", async () => undefined);
  await step("its schema is migrated", async () => {
    migrations = (await migrateAll(cluster.databaseUrl, logger)).length;
  });
  await step("the former release on the new schema", async () => undefined);
  await step("one of two is new", roll(1, to));
  await step("both are new", roll(0, to));
  await step("one goes back", roll(1, former));
  await step("both are new again", roll(1, to));
  tell("the end", await load.stop(), 0);
  violations.push(...(await problemsOf(cluster, load)));
  return { load: all, acceptances: load.receipts.size, migrations, violations };
}

/** As in production: releases may differ in how else processes prove who they are. */
async function certificates(): Promise<ReadonlyMap<string, Record<string, string>>> {
  const authority = createAuthority("Drill");
  const { cert, key } = authority.issue(["127.0.0.1", "gateway"]);
  const folder = mkdtempSync(join(tmpdir(), "assent-upgrade-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const settings = {
    RPC_TLS_CERT_FILE: write("tls.crt", cert),
    RPC_TLS_KEY_FILE: write("tls.key", key),
    RPC_TLS_CA_FILE: write("ca.crt", authority.cert),
  };
  const names = ["auth", "templates", "docgen", "click", "sign", "webhooks", "gateway"];
  return new Map(names.flatMap((name) => [name, `${name}-2`]).map((name) => [name, settings]));
}

/** A copy of that commit with its own packages, built as a clone of it would be; kept for the next run. */
function checkOut(commit: string): string {
  const folder = join(tmpdir(), "assent-releases", commit.slice(0, 12));
  if (!existsSync(join(folder, "package.json"))) {
    mkdirSync(folder, { recursive: true });
    const archive = execFileSync("git", ["archive", commit], { cwd: root, maxBuffer: 1024 * 1024 * 1024 });
    execFileSync("tar", ["-x", "-C", folder], { input: archive });
  }
  process.stderr.write(`preparing ${folder}\n`);
  execFileSync("node", ["dev/bootstrap.mjs", "dev/generated.ts"], { cwd: folder, stdio: ["ignore", 2, 2] });
  return folder;
}

// The bootstrap imports it, so that it is not the main module.
if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: "string", default: "1" },
      rate: { type: "string", default: "20" },
      requests: { type: "string", default: "200" },
      "at-once": { type: "string", default: "2" },
    },
  });
  const { seed, rate, requests } = values;
  const { violations, acceptances, migrations } = await runUpgrade({
    ...{ from: positionals[0], seed: Number(seed), rate: Number(rate), requests: Number(requests) },
    atOnce: Number(values["at-once"]),
    started: (stop) => stopOnSignals(stop, logger),
    told: (step, report, seconds) => {
      const again = report.unavailable + report.refused + report.broken;
      process.stdout.write(
        `${step.padEnd(38)} ${String(report.requests).padStart(5)} requests, ${report.failures.length} failed, ${again} sent again, the longest ${report.longestMs} ms, ${seconds.toFixed(0)} s\n`,
      );
    },
  });
  process.stdout.write(`${migrations} migrations, ${acceptances} acceptances, ${violations.length} violations\n`);
  process.stdout.write(violations.map((text) => `  ${text}\n`).join(""));
  process.exitCode = violations.length === 0 ? 0 : 1;
}
