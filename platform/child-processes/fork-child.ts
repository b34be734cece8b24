import { type ChildProcess, fork } from "node:child_process";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { root, scriptFolder, scriptOf } from "../built-scripts.ts";

/** A program that runs as a child process. */
export interface ChildProgram {
  /** Its source. */
  readonly entry: URL;
  /** What the script may read beside its own folder, relative to the root. */
  readonly assets: readonly string[];
  /** The share of the memory limit for the JavaScript heap; the rest is for buffers and native code. */
  readonly heapShare: number;
  /** Size in MB of each half of V8's young generation; V8's default when absent. */
  readonly youngHalfMb?: number;
  /** Its whole environment. It does not inherit ours, which contains secrets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whether it may load native add-ons, which only the memory limit constrains. */
  readonly withAddons: boolean;
}

const packages = join(root, "node_modules");

/** Starts a program with limited memory and no access beyond its own code and assets. */
export function forkChild(
  { entry, assets, heapShare, youngHalfMb, environment, withAddons }: ChildProgram,
  maxMemoryMb: number,
): ChildProcess {
  const source = fileURLToPath(entry);
  const script = scriptOf(entry);
  const readable = script ? [scriptFolder, ...assets.map((path) => join(root, path))] : [root, packages, source];
  return fork(fileURLToPath(script ?? entry), [String(process.pid)], {
    cwd: tmpdir(),
    env: environment,
    execArgv: [
      `--max-old-space-size=${Math.floor(maxMemoryMb * heapShare)}`,
      ...(youngHalfMb === undefined ? [] : [`--max-semi-space-size=${youngHalfMb}`]),
      ...permissions(readable),
      ...(withAddons ? ["--allow-addons"] : []),
    ],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
}

/** It may read these and what they link to, but neither write files nor start programs. */
function permissions(paths: readonly string[]): string[] {
  const readable = new Set([...paths, ...paths.map((path) => realpathSync(path))]);
  return [
    "--permission",
    ...Array.from(readable, (path) => `--allow-fs-read=${path}`),
    "--allow-worker",
    "--disable-warning=SecurityWarning",
    "--disable-warning=ExperimentalWarning",
  ];
}

/**
 * Turns this program into a child process of a pool: reports ready and answers each job with the result of
 * `work`. If `work` throws, the process is considered defective and replaced.
 */
export function answerJobs<Job, Outcome>(work: (job: Job) => Outcome | Promise<Outcome>): void {
  process.on("disconnect", () => process.exit());
  // Ctrl-C reaches every process of a terminal. The parent still has work to finish and ends this one
  // afterwards.
  process.on("SIGINT", () => undefined);
  // A job may block this thread, so another thread watches for the end of the parent.
  new Worker(new URL("./parent-watch.ts", import.meta.url), { workerData: Number(process.argv[2]) }).unref();
  process.on("message", (job: Job) => void answer(work, job).then(send));
  send({ kind: "ready" });
}

function send<Outcome>(outcome: ChildAnswer<Outcome>["outcome"]): void {
  const answer: ChildAnswer<Outcome> = { outcome, residentBytes: process.memoryUsage.rss() };
  process.send?.(answer);
}

async function answer<Job, Outcome>(
  work: (job: Job) => Outcome | Promise<Outcome>,
  job: Job,
): Promise<ChildAnswer<Outcome>["outcome"]> {
  try {
    return { kind: "done", outcome: await work(job) };
  } catch (error) {
    return defectOf(error);
  }
}

const defectOf = (error: unknown): Defect => ({
  kind: "defect",
  name: error instanceof Error ? error.name : typeof error,
  frames: framesOf(error),
});

const maxFrames = 10;

const framesOf = (error: unknown): string[] =>
  error instanceof Error
    ? (error.stack ?? "")
        .split("\n")
        .filter((line) => /^ {4}at [^"'`]*:\d+:\d+\)?$/.test(line))
        .slice(0, maxFrames)
        .map((line) => line.trim())
    : [];

export interface ChildLimits {
  /** The limit on a job's running time. */
  readonly deadlineMs: number;
  /** The limit on a process's physical memory, in MiB. */
  readonly maxMemoryMb: number;
  /** An idle process with more memory than this is replaced. */
  readonly maxIdleMemoryMb: number;
  /** A process is replaced after this many jobs. */
  readonly maxJobs: number;
  /** The limit on a process's start-up time. */
  readonly startTimeoutMs: number;
  /** An idle process is ended after this time. */
  readonly idleMs: number;
  /** How long a process may keep working on an abandoned job before it is ended. */
  readonly graceMs: number;
}

/** Why a process ended. */
export type ChildEnd =
  /** The job exceeded its time or memory, or crashed the process. */
  | "timeout"
  | "out_of_memory"
  | "crashed"
  /** The job was abandoned. */
  | "aborted"
  /** The process has run many jobs, or holds much memory. */
  | "worn"
  /** The process was idle for long. */
  | "idle"
  | "closed";

/** A child's messages: first that it is ready, then one answer per job. */
export interface ChildAnswer<Outcome> {
  readonly outcome: Ready | Done<Outcome> | Defect;
  /** Physical memory of the process after the job. */
  readonly residentBytes: number;
}

interface Ready {
  readonly kind: "ready";
}

interface Done<Outcome> {
  readonly kind: "done";
  readonly outcome: Outcome;
}

/** The job threw. The error's message may quote the document, so only its place is reported. */
interface Defect {
  readonly kind: "defect";
  readonly name: string;
  /** The stack frames, without the message. */
  readonly frames: readonly string[];
}
