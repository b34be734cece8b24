import { availableParallelism } from "node:os";
import type { ChildEnd, ChildLimits, ChildProgram } from "#platform/child-processes/fork-child.ts";
import type { ChildTask, PooledProcess } from "#platform/child-processes/pooled-process.ts";
import { createProcessPool } from "#platform/child-processes/process-pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { noopTracer, type Tracer, traced } from "#platform/telemetry.ts";
import {
  type Asker,
  type Refused,
  RenderError,
  type Rendered,
  type Renderer,
  type RenderJob,
  type RenderOutcome,
} from "./render-job.ts";

export interface RendererOptions extends Partial<RendererLimits> {
  readonly logger: Logger;
  readonly metrics?: Pick<Metrics, "renderDuration" | "rendererEnds"> | undefined;
  readonly tracer?: Tracer | undefined;
  /** Processes at most; one for each core and the one that is kept for other services when absent. They start when needed. */
  readonly size?: number | undefined;
  /** Processes that are started at once and stay when they have nothing to do; none when absent. */
  readonly kept?: number | undefined;
  /** The program of the processes, which calls `answerRenders`. */
  readonly entry?: URL;
}

interface Job extends ChildTask<RenderJob, RenderOutcome> {
  readonly asker: Asker;
  /** Absent while it waits. */
  process?: PooledProcess<RenderJob, RenderOutcome>;
}

/**
 * Renders in child processes. A document can only harm its own process: one that exceeds its time or memory is killed
 * and replaced.
 */
export function createRenderer(options: RendererOptions): Renderer {
  const { logger, metrics, tracer = noopTracer, size = availableParallelism() + 1, kept = 0 } = options;
  const { entry = new URL("./render-process.ts", import.meta.url) } = options;
  const limits = withLimits(options);
  const waiting = new Set<Job>();
  /** Jobs of documents that a process has. */
  const running = new Set<Job>();
  let isClosed = false;

  /** All but one, so that another service never waits for a slow document; a single process serves both. */
  const places = (): number => (pool.places() > 1 ? pool.places() - 1 : pool.places());
  const inLine = (asker: Asker): Job[] => [...waiting].filter((job) => job.asker === asker);

  /** Those that may have a process now, in their order. */
  const due = (): Job[] => {
    const ofDocuments = Math.max(0, places() - running.size);
    return [...inLine("services"), ...inLine("documents").slice(0, ofDocuments)];
  };

  const handOut = (): void => {
    for (const job of due()) {
      const process = pool.take();
      if (process === undefined) {
        pool.startFor(due().length);
        break;
      }
      waiting.delete(job);
      job.process = process;
      if (job.asker === "documents") running.add(job);
      process.run(job);
    }
  };
  const refuseAll = (end: "crashed" | "closed"): void => {
    for (const job of waiting) job.fail(end);
  };
  const pool = createProcessPool<RenderJob, RenderOutcome>(
    { name: "renderer", program: programAt(entry), limits, logger, kept: Math.min(kept, size), size },
    {
      onIdle: handOut,
      onStuck: () => refuseAll("crashed"),
      onEnd: (reason) => metrics?.rendererEnds.inc({ reason }),
    },
  );
  const render = (job: RenderJob, signal: AbortSignal | undefined, asker: Asker): Promise<Rendered> =>
    new Promise((resolve, reject) => {
      if (isClosed || signal?.aborted) return reject(endedError("aborted", limits));
      if (waiting.size >= limits.maxWaiting) return reject(new DomainError("GEN_BUSY"));
      const onAbort = () => {
        const { process } = task;
        task.fail("aborted");
        process?.abandon();
      };
      const settle = () => {
        waiting.delete(task);
        // A document that waited because the last process is reserved may start now.
        if (running.delete(task) && waiting.size > 0) handOut();
        signal?.removeEventListener("abort", onAbort);
      };
      const task: Job = {
        job,
        asker,
        done: (outcome) => {
          settle();
          if (outcome.kind === "rendered") resolve(outcome.rendered);
          else reject(refusal(outcome, logger));
        },
        fail: (end) => {
          settle();
          reject(endedError(end, limits));
        },
      };
      signal?.addEventListener("abort", onAbort);
      waiting.add(task);
      handOut();
    });
  return {
    freeSlots: () => {
      const ofDocuments = places() - running.size - inLine("documents").length;
      return Math.max(0, Math.min(ofDocuments, pool.places() - pool.busy() - waiting.size));
    },
    places,
    render: (job, signal, asker = "documents") => {
      const attributes = { "assent.asker": asker, "assent.profile": job.profile };
      const parent = job.traceparent ?? tracer.active?.();
      const span = tracer.startSpan("render", "internal", parent, { attributes, mayBegin: true });
      return traced(tracer, span, async () => {
        const rendered = await measured(render(job, signal, asker), metrics);
        // It spent the rest of its time waiting for a process.
        span.note?.({ "assent.render_ms": rendered.renderMs, "assent.pages": rendered.pages });
        return rendered;
      });
    },
    close: async () => {
      isClosed = true;
      refuseAll("closed");
      await pool.close();
    },
  };
}

/**
 * There are as many processes as cores, so more threads would only take turns. Node's permissions do not restrict the
 * native typesetter; it gets its files from us and is pointed to a folder that does not exist, and most memory is the
 * typesetter's.
 */
const programAt = (entry: URL): ChildProgram => ({
  entry,
  assets: [
    ...["expo-google-fonts", "fontsource-variable", "myriaddreamin"].map((scope) => `node_modules/@${scope}`),
    "services/docgen/typesetting/document.typ",
  ],
  heapShare: 0.6,
  environment: { TZ: "UTC", RAYON_NUM_THREADS: "1" },
  withAddons: true,
});

function refusal({ code, message, details, notes }: Refused, logger: Logger): RenderError {
  if (notes.length > 0) logger.error({ code, details, notes }, "a document could not be typeset");
  return new RenderError(code, message, details);
}

/** The memory limit of an idle process, derived from that of a busy one. */
function withLimits(changes: Partial<RendererLimits>): RendererLimits {
  const maxIdleMemoryMb = ((changes.maxMemoryMb ?? rendererLimits.maxMemoryMb) * 5) / 8;
  return { ...rendererLimits, maxIdleMemoryMb, ...changes };
}

/** The time spent waiting is included, because callers experience it. */
async function measured(rendering: Promise<Rendered>, metrics: RendererOptions["metrics"]): Promise<Rendered> {
  const start = performance.now();
  let outcome = "completed";
  try {
    return await rendering;
  } catch (error) {
    outcome = outcomeOf(error);
    throw error;
  } finally {
    metrics?.renderDuration.observe({ outcome }, (performance.now() - start) / 1000);
  }
}

function outcomeOf(error: unknown): string {
  if (!(error instanceof RenderError)) return "refused";
  return error.code === "GEN_RENDER_FAILED" ? (error.details.reason ?? error.code) : error.code;
}

interface RendererLimits extends ChildLimits {
  /** Jobs that may wait for a process. */
  readonly maxWaiting: number;
}

const rendererLimits: RendererLimits = {
  deadlineMs: 20_000,
  maxMemoryMb: 512,
  maxIdleMemoryMb: 320,
  maxJobs: 2_000,
  startTimeoutMs: 30_000,
  idleMs: 60_000,
  graceMs: 1_000,
  maxWaiting: 256,
};

/** What happens to a job whose process ends. */
function endedError(end: ChildEnd, { deadlineMs, maxMemoryMb }: RendererLimits): RenderError {
  const failed = (reason: string, message: string) => new RenderError("GEN_RENDER_FAILED", message, { reason });
  switch (end) {
    case "timeout":
      return failed("timeout", `The rendering took longer than ${deadlineMs / 1000} s and was stopped.`);
    case "out_of_memory":
      return failed("out_of_memory", `The rendering needed more than ${maxMemoryMb} MB of memory and was stopped.`);
    case "crashed":
      return failed("crashed", "The renderer ended unexpectedly.");
    default:
      return failed("aborted", "The rendering was called off.");
  }
}
