import { type ChildProcess, execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { withSources } from "../built-scripts.ts";
import type { Logger } from "../logger.ts";
import { type ChildAnswer, type ChildEnd, type ChildLimits, type ChildProgram, forkChild } from "./fork-child.ts";

/** A job with its callbacks. */
export interface ChildTask<Job, Outcome> {
  readonly job: Job;
  /** Overrides the deadline for all jobs. */
  readonly deadlineMs?: number;
  done(outcome: Outcome): void;
  /** The process ended, or threw, which counts as a crash. */
  fail(end: ChildEnd): void;
}

/** A process that runs one job at a time. */
export interface PooledProcess<Job, Outcome> {
  /** Only while it is idle. */
  run(task: ChildTask<Job, Outcome>): void;
  /** Nobody waits for the job any longer. */
  abandon(): void;
  /** Resolves when the process has exited. */
  end(end: ChildEnd): Promise<void>;
}

export interface PooledProcessOptions {
  /** For the log: `a <name> process ended`. */
  readonly name: string;
  readonly program: ChildProgram;
  readonly limits: ChildLimits;
  readonly logger: Logger;
}

export interface PooledProcessEvents {
  /** The process can take a job. */
  onIdle(): void;
  /** The process has been idle for long. */
  onLongIdle(): void;
  /** The process takes no more jobs. */
  onEnding(): void;
  /** The process has exited. `isUsed` is false when it never had a job. */
  onEnd(end: ChildEnd, isUsed: boolean): void;
}

const megabyte = 1024 * 1024;

/** Starts a process. It is ended when it exceeds a limit, crashes or is worn out. */
export function startPooledProcess<Job, Outcome>(
  { name, program, limits, logger }: PooledProcessOptions,
  events: PooledProcessEvents,
): PooledProcess<Job, Outcome> {
  const child = forkChild(program, limits.maxMemoryMb);
  const gone = Promise.withResolvers<void>();
  let task: ChildTask<Job, Outcome> | undefined;
  let jobs = 0;
  let ending: ChildEnd | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopWatch = () => {};

  const allow = (ms: number, otherwise: ChildEnd): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void end(otherwise), ms).unref();
  };
  const take = (): ChildTask<Job, Outcome> | undefined => {
    const taken = task;
    task = undefined;
    clearTimeout(timer);
    stopWatch();
    return taken;
  };
  const begin = (why: ChildEnd): void => {
    if (ending !== undefined) return;
    ending = why;
    events.onEnding();
    take()?.fail(why);
  };
  const end = (why: ChildEnd): Promise<void> => {
    begin(why);
    child.kill("SIGKILL");
    return gone.promise;
  };
  const rest = (residentBytes: number): void => {
    const isWorn = jobs >= limits.maxJobs || residentBytes > limits.maxIdleMemoryMb * megabyte;
    if (isWorn && jobs > 0) {
      void end("worn");
      return;
    }
    timer = setTimeout(() => events.onLongIdle(), limits.idleMs).unref();
    events.onIdle();
  };
  onceGone(child, (how) => {
    if (ending === undefined) {
      logger.error(how, `a ${name} process ended`);
      begin(how.reason);
    }
    events.onEnd(ending ?? how.reason, jobs > 0);
    gone.resolve();
  });
  child.on("message", ({ outcome, residentBytes }: ChildAnswer<Outcome>) => {
    // An answer may already have been on its way when the process was ended.
    if (ending !== undefined) return;
    const taken = take();
    // An unexpected error may have left the process in any state.
    if (outcome.kind === "defect") {
      logger.error({ error: outcome.name, frames: outcome.frames.map(withSources) }, `the ${name} has a defect`);
      void end("worn");
      taken?.fail("crashed");
      return;
    }
    rest(residentBytes);
    if (outcome.kind === "done") taken?.done(outcome.outcome);
  });
  allow(limits.startTimeoutMs, "timeout");

  return {
    run: (next) => {
      task = next;
      jobs += 1;
      allow(next.deadlineMs ?? limits.deadlineMs, "timeout");
      stopWatch = watchMemory(child.pid ?? 0, limits.maxMemoryMb * megabyte, () => void end("out_of_memory"));
      send(child, next.job, () => void end("crashed"));
    },
    abandon: () => allow(limits.graceMs, "aborted"),
    end,
  };
}

interface Gone {
  readonly reason: "out_of_memory" | "crashed";
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Source positions, without the message. */
  readonly places: readonly string[];
}

/** Calls back once, also when the process could not be started. */
function onceGone(child: ChildProcess, onGone: (gone: Gone) => void): void {
  const lastWords = keepLastWords(child.stderr);
  let isGone = false;
  const tell = (exitCode: number | null, signal: string | null, places: readonly string[]) => {
    if (isGone) return;
    isGone = true;
    onGone({ reason: tellsOfMemory(lastWords()) ? "out_of_memory" : "crashed", exitCode, signal, places });
  };
  child.once("close", (code, signal) => tell(code, signal, placesIn(lastWords())));
  child.on("error", (error) => {
    if (child.pid === undefined) tell(null, null, [error.message]);
  });
}

/** Treats a job that cannot be sent like a crash of the process. */
function send(child: ChildProcess, job: unknown, onFailure: () => void): void {
  try {
    child.send(job as object, (error) => {
      if (error !== null) onFailure();
    });
  } catch {
    onFailure();
  }
}

/** Keeps the last output of a process. */
function keepLastWords(stream: Readable | null): () => string {
  let kept = "";
  stream?.setEncoding("utf8");
  stream?.on("data", (chunk: string) => {
    kept = (kept + chunk).slice(-maxLength);
  });
  return () => kept;
}

const maxLength = 16_384;

/** Whether the output says that an allocation failed, in V8 or in native code. */
const tellsOfMemory = (words: string): boolean =>
  /heap out of memory|heap limit|allocation failed|memory allocation of \d+ bytes failed|Fatal process out of memory/i.test(
    words,
  );

/**
 * Where the process crashed, for the log: the kind of error and source positions, but never the message, which
 * may quote a document.
 */
const placesIn = (words: string): string[] =>
  (
    words.match(/panicked at [\w./@-]+:\d+(?::\d+)?|^(?:[A-Z]\w*Error)\b|(?:file:\/\/|node:)[^\s()"'`]+:\d+:\d+/gm) ??
    []
  )
    .slice(0, 10)
    .map(withSources);

/** Calls back once when the process exceeds this much physical memory. Returns a function that stops watching. */
export function watchMemory(pid: number, maxBytes: number, onExceeded: () => void): () => void {
  let isAsking = false;
  const look = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    const bytes = await residentBytes(pid);
    isAsking = false;
    if (bytes === undefined || bytes <= maxBytes || !isOn) return;
    stop();
    onExceeded();
  };
  let isOn = true;
  const timer = setInterval(() => void look(), everyMs).unref();
  const stop = () => {
    isOn = false;
    clearInterval(timer);
  };
  return stop;
}

/** In this time a process can allocate at most a few hundred megabytes. */
const everyMs = 100;

/** Undefined when the process is gone or the system does not report it. */
async function residentBytes(pid: number): Promise<number | undefined> {
  try {
    return process.platform === "linux" ? readStatus(pid) : await askPs(pid);
  } catch {
    return undefined;
  }
}

/** Synchronous: the kernel answers from memory, which is faster than any asynchronous read. */
function readStatus(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

const run = promisify(execFile);

async function askPs(pid: number): Promise<number | undefined> {
  const { stdout } = await run("ps", ["-o", "rss=", "-p", String(pid)]);
  const kilobytes = Number.parseInt(stdout, 10);
  return Number.isNaN(kilobytes) ? undefined : kilobytes * 1024;
}
