import type { ChildProcess } from "node:child_process";
import type { Logger } from "#platform/logger.ts";
import { forkRenderer } from "./fork-renderer.ts";
import { keepLastWords, placesIn, tellsOfMemory } from "./last-words.ts";
import type { RendererAnswer, RenderOutcome } from "./messages.ts";
import { RenderError, type Rendered, type RenderJob } from "./render-job.ts";
import { endedError, type RendererEnd, type RendererLimits } from "./renderer-limits.ts";
import { watchMemory } from "./resident-memory.ts";

/** A job with what becomes of it. */
export interface RenderTask {
  readonly job: RenderJob;
  resolve(rendered: Rendered): void;
  reject(error: unknown): void;
}

/** One process, which has one job at a time. */
export interface RendererProcess {
  /** Only while it is idle. */
  run(task: RenderTask): void;
  /** Nobody waits for its job any more. */
  abandon(): void;
  /** Resolves when the process is gone. */
  end(end: RendererEnd): Promise<void>;
}

export interface RendererProcessOptions {
  readonly entry: URL;
  readonly limits: RendererLimits;
  readonly logger: Logger;
}

export interface RendererProcessEvents {
  /** It can take a job. */
  onIdle(): void;
  /** It has had nothing to do for long. */
  onLongIdle(): void;
  /** It takes no job any more. */
  onEnding(): void;
  /** It is gone. `isUsed` is false when it never had a job. */
  onEnd(end: RendererEnd, isUsed: boolean): void;
}

const megabyte = 1024 * 1024;

/** Starts a process. It ends by itself beyond its limits, when it dies, and when it is worn. */
export function startRendererProcess(options: RendererProcessOptions, events: RendererProcessEvents): RendererProcess {
  const { limits, logger } = options;
  const child = forkRenderer(options.entry, limits.maxMemoryMb);
  const gone = Promise.withResolvers<void>();
  let task: RenderTask | undefined;
  let jobs = 0;
  let ending: RendererEnd | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopWatch = () => {};

  const allow = (ms: number, otherwise: RendererEnd): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void end(otherwise), ms).unref();
  };
  const take = (): RenderTask | undefined => {
    const taken = task;
    task = undefined;
    clearTimeout(timer);
    stopWatch();
    return taken;
  };
  const begin = (why: RendererEnd): void => {
    if (ending !== undefined) return;
    ending = why;
    events.onEnding();
    take()?.reject(endedError(why, limits));
  };
  const end = (why: RendererEnd): Promise<void> => {
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
      logger.error(how, "a renderer process ended");
      begin(how.reason);
    }
    events.onEnd(ending ?? how.reason, jobs > 0);
    gone.resolve();
  });
  child.on("message", ({ outcome, residentBytes }: RendererAnswer) => {
    // An answer may have been on its way when the process was ended.
    if (ending !== undefined) return;
    const done = take();
    // What it threw unexpectedly may have left it in any state.
    if (outcome.kind === "defect") void end("worn");
    else rest(residentBytes);
    if (done !== undefined && outcome.kind !== "ready") conclude(done, outcome, options);
  });
  allow(limits.startTimeoutMs, "timeout");

  return {
    run: (next) => {
      task = next;
      jobs += 1;
      allow(limits.deadlineMs, "timeout");
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
  /** In the source, without what was said there. */
  readonly places: readonly string[];
}

/** Calls back once, also when the process could not be started at all. */
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

/** A job that cannot be sent and a process that does not take it come to the same. */
function send(child: ChildProcess, job: RenderJob, onFailure: () => void): void {
  try {
    child.send(job, (error) => {
      if (error !== null) onFailure();
    });
  } catch {
    onFailure();
  }
}

function conclude(task: RenderTask, outcome: RenderOutcome, { limits, logger }: RendererProcessOptions): void {
  if (outcome.kind === "rendered") {
    task.resolve(outcome.rendered);
  } else if (outcome.kind === "refused") {
    const { code, message, details, notes } = outcome;
    if (notes.length > 0) logger.error({ code, details, notes }, "a document could not be typeset");
    task.reject(new RenderError(code, message, details));
  } else {
    logger.error({ error: outcome.name, frames: outcome.frames }, "the renderer has a defect");
    task.reject(endedError("crashed", limits));
  }
}
