import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { createPool } from "#platform/db/pool.ts";
import type { Echo } from "../baselines/start-echo.ts";
import { type CpuTimes, cpuPerRequest, cpuText } from "../cpu.ts";
import type { LoadResult } from "../load/plan.ts";
import { runLoad } from "../load/run-load.ts";
import type { BenchOptions } from "../options.ts";
import { type Figure, median } from "../report.ts";
import type { BenchSystem } from "../system.ts";
import { acceptPlan, connections, echoPlan } from "./accept-plan.ts";

export interface AcceptMeasures {
  readonly figures: readonly Figure[];
  /** Accepts a second, the median of the rounds. */
  readonly rate: number;
}

interface Round {
  readonly accept: LoadResult;
  /** Undefined where the machine does not tell. */
  readonly cpu: CpuTimes | undefined;
  readonly echoRate: number;
  /** Undefined without pgbench. */
  readonly pgbenchRate: number | undefined;
}

/** P1 and P2: durable, authenticated, limited accepts a second against bare Express and against pgbench. */
export async function acceptMeasures(system: BenchSystem, echo: Echo, options: BenchOptions): Promise<AcceptMeasures> {
  const rounds: Round[] = [];
  for (let n = 0; n < options.rounds; n += 1) {
    const load = { warmupSeconds: 2, seconds: options.seconds };
    const echoRate = (await runLoad(echoPlan(echo, load), [201])).perSecond;
    const measured = await measureAccept(system, options, n);
    rounds.push({ ...measured, echoRate, pgbenchRate: await pgbenchTwoInserts(system.databaseUrl, options.seconds) });
  }
  const rate = median(rounds.map(({ accept }) => accept.perSecond));
  return { rate, figures: figuresOf(rounds, rate) };
}

/** The warm-up is a load of its own, so that what it costs is not counted. */
async function measureAccept(
  system: BenchSystem,
  options: BenchOptions,
  round: number,
): Promise<Pick<Round, "accept" | "cpu">> {
  await runLoad(acceptPlan(system, `warm-${round}`, { warmupSeconds: 0, seconds: 2 }), [201]);
  const before = system.cpu.read();
  const accept = await runLoad(
    acceptPlan(system, `round-${round}`, { warmupSeconds: 0, seconds: options.seconds }),
    [201],
  );
  const cpu = cpuPerRequest(before, system.cpu.read(), accept.requests);
  return { accept, cpu: cpu && { ...cpu, load: accept.cpuMs / accept.requests } };
}

function figuresOf(rounds: readonly Round[], rate: number): Figure[] {
  const echoRate = median(rounds.map((round) => round.echoRate));
  const pgbenchRates = rounds.flatMap(({ pgbenchRate }) => pgbenchRate ?? []);
  const pgbenchRate = pgbenchRates.length > 0 ? median(pgbenchRates) : undefined;
  const p99 = median(rounds.map(({ accept }) => accept.latencyMs.p99));
  const cpu = medianCpu(rounds.flatMap((round) => (round.cpu === undefined ? [] : [round.cpu])));
  const base = { mode: "distributed", value: rate, unit: "/s" };
  return [
    {
      ...base,
      id: "P1",
      what: "accepts ÷ bare Express JSON echo",
      baseline: echoRate,
      ratio: rate / echoRate,
      goal: "≥ 0.35",
      note: `p99 ${p99.toFixed(1)} ms at ${connections} connections${cpu === undefined ? "" : `; CPU ms: ${cpuText(cpu)}`}`,
      ...(cpu === undefined ? {} : { cpuMs: cpu }),
    },
    {
      ...base,
      id: "P2",
      what: "accepts ÷ pgbench with two inserts",
      goal: "≥ 0.5",
      ...(pgbenchRate === undefined
        ? { note: "pgbench not found" }
        : { baseline: pgbenchRate, ratio: rate / pgbenchRate }),
    },
  ];
}

function medianCpu(times: readonly CpuTimes[]): CpuTimes | undefined {
  const [first] = times;
  if (first === undefined) return undefined;
  return Object.fromEntries(Object.keys(first).map((name) => [name, median(times.map((one) => one[name] ?? 0))]));
}

// Rows of the size and with the indexes of an acceptance and its event, written in one transaction each.
const tables = `
create schema if not exists bench;
drop table if exists bench.acceptance, bench.outbox;
create table bench.acceptance (
  organization_id uuid not null, idempotency_hash bytea not null, body_hash bytea not null, receipt_id uuid not null,
  template_id uuid not null, version_id uuid not null, revision int not null, user_ref text not null,
  accepted_at timestamptz not null, receipt text not null, evidence text not null,
  primary key (organization_id, idempotency_hash), unique (organization_id, receipt_id));
create index on bench.acceptance (organization_id, user_ref, accepted_at);
create table bench.outbox (
  organization_id uuid not null, event_id uuid not null, position bigint generated always as identity,
  subject text not null, data text not null, created_at timestamptz not null default now(), published_at timestamptz,
  primary key (organization_id, event_id));
create index on bench.outbox (position) where published_at is null;
`;

const script = `
\\set n random(1, 2000000000)
begin;
insert into bench.acceptance values ('00000000-0000-7000-8000-000000000001', sha256(:n::text::bytea || random()::text::bytea), sha256(:n::text::bytea),
  gen_random_uuid(), '00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000003', 1, 'user-' || :n, now(), repeat('r', 900), repeat('e', 700));
insert into bench.outbox (organization_id, event_id, subject, data)
  values ('00000000-0000-7000-8000-000000000001', gen_random_uuid(), 'assent.click.acceptance.recorded', repeat('d', 500));
commit;
`;

/** Transactions a second of pgbench with 64 clients; undefined when pgbench is not on this machine. */
async function pgbenchTwoInserts(databaseUrl: string, seconds: number): Promise<number | undefined> {
  const pgbench = findPgbench();
  if (pgbench === undefined) return undefined;
  const pool = createPool({ url: databaseUrl, name: "bench", max: 1 });
  const folder = mkdtempSync(join(tmpdir(), "assent-pgbench-"));
  try {
    await pool.query(tables);
    const file = join(folder, "two-inserts.sql");
    writeFileSync(file, script);
    const args = ["-n", "-f", file, "-c", "64", "-j", "2", "-M", "prepared", "-T", String(seconds), databaseUrl];
    const { stdout } = await promisify(execFile)(pgbench, args);
    const match = /tps = ([\d.]+)/.exec(stdout);
    return match?.[1] === undefined ? undefined : Number(match[1]);
  } finally {
    await pool.query("drop schema bench cascade");
    await pool.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

function findPgbench(): string | undefined {
  const debianRoot = "/usr/lib/postgresql";
  const debian = existsSync(debianRoot)
    ? readdirSync(debianRoot).map((version) => join(debianRoot, version, "bin"))
    : [];
  const folders = [...(process.env.PATH ?? "").split(delimiter), ...debian.sort().reverse()];
  return folders.map((folder) => join(folder, "pgbench")).find((file) => existsSync(file));
}
