import { isTransient } from "#platform/db/errors.ts";
import { noopTracer, type Tracer, traced } from "#platform/telemetry.ts";
import type { Document } from "../domain/document.ts";
import type { RenderJob } from "../renderer/render-job.ts";
import { type Claimed, giveBackClaim } from "../store/claim-store.ts";
import type { RenderInput } from "../store/finish-store.ts";
import { finish, type Outcome } from "./finish.ts";
import { NotRenderedError, readJob, renderJob } from "./render-claimed.ts";
import { whileAway } from "./retry.ts";
import type { WorkDeps } from "./work-deps.ts";

/** A claimed document on its way. */
export interface Task {
  readonly claimed: Claimed;
  /** Resolves when this process has nothing to do with it any more; never rejects. */
  readonly done: Promise<void>;
  /** The claim holds no more: nothing that comes of it counts. */
  drop(): void;
  /** Lets another process go on with it, unless it ends just now. */
  giveBack(): void;
}

export interface TaskSteps {
  /** The renderer has the document: its slots tell of it. */
  onHandedOver(): void;
  /** The renderer is free for another one. */
  onRendered(): void;
  /** With the document, if this process has recorded its end. */
  onDone(ended?: Document): void;
}

export interface Work {
  readonly claimed: Claimed;
  /** What it is rendered from; read when it is absent. */
  readonly input?: RenderInput | undefined;
}

/** Renders a claimed document and records what comes of it. */
export function startTask(deps: WorkDeps, work: Work, steps: TaskSteps): Task {
  const { claimed } = work;
  const dropped = new AbortController();
  const givenBack = new AbortController();
  const signal = AbortSignal.any([dropped.signal, givenBack.signal]);
  const done = carryOut(deps, work, steps, signal)
    .catch(async (error: unknown) => {
      const isForOthers = givenBack.signal.aborted || error instanceof NotRenderedError;
      if (isForOthers && !dropped.signal.aborted) await giveBackClaim(deps.claimerPool, claimed);
      else if (!signal.aborted) throw error;
    })
    .catch((error: unknown) => {
      // The lease will run out; then it is tried again.
      const level = isTransient(error) ? "warn" : "error";
      deps.logger[level]({ err: error, document: claimed.id }, "a document was left to others");
    })
    .then((ended) => steps.onDone(ended ?? undefined));
  return { claimed, done, drop: () => dropped.abort(), giveBack: () => givenBack.abort() };
}

/** Rejects when the signal is aborted before the end. */
async function carryOut(
  deps: WorkDeps,
  { claimed, input }: Work,
  steps: TaskSteps,
  signal: AbortSignal,
): Promise<Document | undefined> {
  const job = await whileAway(() => readJob(deps, claimed, input), signal);
  if (job === undefined) return undefined;
  signal.throwIfAborted();
  const end = async (outcome: Outcome): Promise<Document | undefined> => {
    const ended = await whileAway(() => finish(deps, claimed, outcome), signal);
    if (ended !== undefined) deps.wakeRelay();
    return ended;
  };
  if ("kind" in job) return end(job);
  return tracedDocument(deps.tracer, claimed, job, async (within) => {
    const rendering = renderJob(deps, within, signal);
    steps.onHandedOver();
    const outcome = await unlessAborted(rendering, signal);
    steps.onRendered();
    return end(outcome);
  });
}

/** In the trace of the request that asked for it, alone or in a batch. Without one the rendering may begin its own. */
function tracedDocument<T>(
  tracer: Tracer = noopTracer,
  { attempts }: Claimed,
  job: RenderJob,
  work: (job: RenderJob) => Promise<T>,
): Promise<T> {
  const span = tracer.startSpan("document", "consumer", job.traceparent, {
    attributes: { "assent.attempt": attempts },
  });
  const within = job.traceparent === undefined ? job : { ...job, traceparent: span.traceparent };
  return traced(tracer, span, () => work(within));
}

/** Does not wait for a renderer that takes its time to notice. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return Promise.race([work, promise]).then((value) => {
    // An aborted rendering fails, and that says nothing about the document.
    signal.throwIfAborted();
    return value;
  });
}
