import { type ChildProcess, fork } from "node:child_process";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

/** A program that works for this one. */
export interface ChildProgram {
  readonly entry: URL;
  /** The share of its memory that JavaScript may have; the rest is for bytes and for what is native. */
  readonly heapShare: number;
  /** Megabytes of each half of what it has for young objects, in place of what V8 takes. */
  readonly youngHalfMb?: number;
  /** Its environment. None of ours: it holds secrets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whether it may load native packages, which nothing but the memory limit binds. */
  readonly withAddons: boolean;
}

/** Starts a program with little memory, and with nothing of ours but its own source. */
export function forkChild(
  { entry, heapShare, youngHalfMb, environment, withAddons }: ChildProgram,
  maxMemoryMb: number,
): ChildProcess {
  return fork(entry, [String(process.pid)], {
    cwd: tmpdir(),
    env: environment,
    execArgv: [
      `--max-old-space-size=${Math.floor(maxMemoryMb * heapShare)}`,
      ...(youngHalfMb === undefined ? [] : [`--max-semi-space-size=${youngHalfMb}`]),
      ...permissions(entry),
      ...(withAddons ? ["--allow-addons"] : []),
    ],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
}

/** It may read the source and the packages; it may neither write nor start programs. */
function permissions(entry: URL): string[] {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const readable = new Set([root, realpathSync(root), realpathSync(join(root, "node_modules")), fileURLToPath(entry)]);
  return [
    "--permission",
    ...Array.from(readable, (path) => `--allow-fs-read=${path}`),
    "--allow-worker",
    "--disable-warning=SecurityWarning",
    "--disable-warning=ExperimentalWarning",
  ];
}

/**
 * Makes this program a child process of a pool: says that it is ready and answers each job with what `work` makes of it.
 * What it throws is a defect, after which the process is replaced.
 */
export function answerJobs<Job, Outcome>(work: (job: Job) => Outcome | Promise<Outcome>): void {
  process.on("disconnect", () => process.exit());
  // Ctrl-C reaches every process of a terminal; the parent still has work to finish, and ends this one afterwards.
  process.on("SIGINT", () => undefined);
  // A job holds the thread, so that it would not see that the parent is gone.
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
  /** How long a job may take once a process has it. */
  readonly deadlineMs: number;
  /** Physical memory of a process. */
  readonly maxMemoryMb: number;
  /** A process with nothing to do that has more than this is replaced. */
  readonly maxIdleMemoryMb: number;
  /** A process is replaced after so many jobs. */
  readonly maxJobs: number;
  /** How long a process may take to become ready. */
  readonly startTimeoutMs: number;
  /** How long a process may have nothing to do before it is ended. */
  readonly idleMs: number;
  /** How long a process may go on with a job that nobody wants any more, before it is ended. */
  readonly graceMs: number;
}

/** Why a process was ended, or ended by itself. */
export type ChildEnd =
  /** The job took too long, too much memory, or brought the process down. */
  | "timeout"
  | "out_of_memory"
  | "crashed"
  /** Nobody wants the job any more. */
  | "aborted"
  /** It had many jobs, or keeps much memory. */
  | "worn"
  /** It had nothing to do for long. */
  | "idle"
  | "closed";

/** What a child process sends: first that it is ready, then one answer for each job it gets. */
export interface ChildAnswer<Outcome> {
  readonly outcome: Ready | Done<Outcome> | Defect;
  /** Physical memory of the process after that. */
  readonly residentBytes: number;
}

interface Ready {
  readonly kind: "ready";
}

interface Done<Outcome> {
  readonly kind: "done";
  readonly outcome: Outcome;
}

/** Something was thrown. Its message may have parts of the document in it, so it stays where it was thrown. */
interface Defect {
  readonly kind: "defect";
  readonly name: string;
  /** Where it was thrown. */
  readonly frames: readonly string[];
}
