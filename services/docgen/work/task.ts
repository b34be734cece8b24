import { setTimeout as delay } from "node:timers/promises";
import { isTransient } from "#platform/db/errors.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { wordType } from "#platform/office-package.ts";
import { noopTracer, type Tracer, traced } from "#platform/telemetry.ts";
import { isSampled } from "#platform/trace-context.ts";
import type { Document, Failure } from "../domain/document.ts";
import { namedAssets } from "../prepare/named-assets.ts";
import { readFile } from "../prepare/word-file.ts";
import { RenderError, type Rendered, type RenderImage, type RenderJob } from "../renderer/render-job.ts";
import { findAssets } from "../store/asset-store.ts";
import { type Claimed, giveBackClaim } from "../store/claim-store.ts";
import { type RenderInput, readInput } from "../store/finish-store.ts";
import { finish, type Outcome } from "./finish.ts";
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
  /** It is printed by another service, and the renderer has nothing to do with it. */
  onPrinting(): void;
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
    let outcome = await unlessAborted(rendering, signal);
    if (job.content.kind === "word" && outcome.kind === "completed") {
      steps.onPrinting();
      const printing = print(deps, claimed.orgId, { job, rendered: outcome.rendered }, signal);
      outcome = await unlessAborted(printing, signal);
    }
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

const firstPauseMs = 50;
const longestPauseMs = 1_000;

/** Tries again while the database is away, until the signal is aborted; then rejects with the last error. */
async function whileAway<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error;
      await delay(pause, undefined, { signal }).catch(() => {});
    }
  }
}

type Deps = Pick<WorkDeps, "pool" | "blobs" | "renderer" | "word" | "logger">;

/** A document that was begun so often and never ended brings down what renders it. */
const maxAttempts = 3;

/**
 * What a claimed document is rendered from, with its images; a failure when it is not to be tried again; undefined when
 * the claim is lost. Reads nothing that is given already.
 */
async function readJob(deps: Deps, claimed: Claimed, known?: RenderInput): Promise<RenderJob | Outcome | undefined> {
  if (claimed.attempts > maxAttempts) {
    const message = `The rendering was begun ${maxAttempts} times and never ended.`;
    return failed({ code: "GEN_RENDER_FAILED", message, details: { reason: "crashed" } });
  }
  const { orgId } = claimed;
  if (known !== undefined && imagesOf(known).length === 0) return { ...jobOf(known), images: new Map() };
  return withOrg(deps.pool, orgId, async (tenant) => {
    const input = known ?? (await readInput(tenant, claimed));
    if (input === undefined) return undefined;
    const { source, version, timeZone } = input;
    if (source.content.kind === "version" && version?.format === "docx") {
      const file = await readFile(deps, tenant, version.content);
      if (file === undefined) return missingFile();
      const content = { kind: "word", file, data: source.content.data, timeZone } as const;
      return { ...factsOf(input), page: version.page, content, images: new Map() };
    }
    const images = await readImages(deps, tenant, input);
    return { ...jobOf(input), images };
  });
}

const missingFile = (): Outcome =>
  failed({ code: "GEN_ASSET_NOT_FOUND", message: "The Word file of the template was deleted.", details: {} });

/** The renderer took nothing, for a reason of its own: the document is to be rendered again. */
class NotRenderedError extends Error {}

/** Renders; what goes wrong with the document is an outcome too. Rejects with a NotRenderedError. */
async function renderJob(deps: Deps, job: RenderJob, signal: AbortSignal): Promise<Outcome> {
  try {
    return { kind: "completed", rendered: await renderDespiteCrash(deps, job, signal) };
  } catch (error) {
    if (error instanceof DomainError || isOfRenderer(error)) {
      throw new NotRenderedError("the renderer has not rendered", { cause: error });
    }
    if (error instanceof RenderError) return failed(failureOf(error));
    deps.logger.error({ err: error }, "the renderer has a defect");
    const message = "The document could not be rendered.";
    return failed({ code: "GEN_RENDER_FAILED", message, details: { reason: "crashed" } });
  }
}

/** Prints a filled Word file; that it cannot be printed is an outcome too. Rejects when the signal is aborted. */
async function print(
  { word }: Deps,
  orgId: string,
  { job, rendered }: { readonly job: RenderJob; readonly rendered: Rendered },
  signal: AbortSignal,
): Promise<Outcome> {
  const from = performance.now();
  try {
    if (word === undefined) throw new RenderError("GEN_RENDER_FAILED", noConverter, { reason: "no_converter" });
    const printed = await word.print(orgId, rendered.pdf, job.createdAt, signal);
    const renderMs = rendered.renderMs + performance.now() - from;
    return { kind: "completed", rendered: { ...rendered, ...printed, renderMs } };
  } catch (error) {
    if (error instanceof RenderError) return failed(failureOf(error));
    throw error;
  }
}

const noConverter = "Word files are not converted here, because LibreOffice is not set up.";

/** That a process ended says nothing about the document until it happens again. */
const maxCrashes = 2;

async function renderDespiteCrash({ renderer }: Deps, job: RenderJob, signal: AbortSignal): Promise<Rendered> {
  for (let crashes = 1; ; crashes += 1) {
    try {
      return await renderer.render(job, signal);
    } catch (error) {
      if (!isCrash(error) || crashes === maxCrashes || signal.aborted) throw error;
    }
  }
}

const isCrash = (error: unknown): boolean => error instanceof RenderError && error.details.reason === "crashed";

/** It was told to stop, or stops. */
const isOfRenderer = (error: unknown): boolean =>
  error instanceof RenderError && ["aborted", "closed"].includes(error.details.reason ?? "");

const failed = (failure: Failure): Outcome => ({ kind: "failed", failure });

const maxMessageLength = 500;

function failureOf({ code, message, details }: RenderError): Failure {
  const storable = (text: string) => text.replaceAll("\u0000", "").slice(0, maxMessageLength).toWellFormed();
  const entries = Object.entries(details).map(([name, value]) => [name, storable(value)]);
  return { code, message: storable(message), details: Object.fromEntries(entries) };
}

/** What is the same for every kind of document. */
function factsOf({ source: { title }, ...same }: RenderInput) {
  const { profile, locale, createdAt, traceparent } = same;
  const trace = isSampled(traceparent) ? { traceparent } : {};
  return { title, locale, profile, createdAt, attachments: [], ...trace };
}

/** Without its images. */
function jobOf(input: RenderInput): Omit<RenderJob, "images"> {
  const { source, version, timeZone } = input;
  const { content } = source;
  const common = factsOf(input);
  if (content.kind === "html") {
    return { ...common, page: content.page, content: { kind: "html", html: content.html } };
  }
  if (version === null) throw new Error("the version of the document is missing");
  const { page, ...template } = version;
  return { ...common, page, content: { kind: "template", template, data: content.data, timeZone } };
}

/** The ids of its images. */
const imagesOf = ({ source, version }: RenderInput): string[] =>
  namedAssets(source.content.kind === "html" ? source.content.html : (version?.content ?? ""));

/** Those that there are: one that was deleted meanwhile is the renderer's to miss. */
async function readImages({ blobs }: Deps, tenant: Tenant, input: RenderInput): Promise<Map<string, RenderImage>> {
  const images = new Map<string, RenderImage>();
  const ids = imagesOf(input);
  if (ids.length === 0) return images;
  for (const { id, contentType, sha256 } of await findAssets(tenant, ids)) {
    const bytes = contentType === wordType ? undefined : await blobs.read(tenant, sha256);
    if (contentType !== wordType && bytes !== undefined) images.set(id, { contentType, bytes });
  }
  return images;
}
