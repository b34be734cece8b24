import type pg from "pg";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { isSampled } from "#platform/trace-context.ts";
import type { Failure } from "../domain/document.ts";
import { namedAssets } from "../prepare/named-assets.ts";
import { RenderError, type Rendered, type RenderImage, type RenderJob } from "../renderer/render-job.ts";
import { findAssets } from "../store/asset-store.ts";
import type { Claimed } from "../store/claim-store.ts";
import { type RenderInput, readInput } from "../store/finish-store.ts";
import type { Outcome } from "./finish.ts";
import type { WorkDeps } from "./work-deps.ts";

type Deps = Pick<WorkDeps, "pool" | "blobs" | "renderer" | "logger">;

/** A document that was begun so often and never ended brings down what renders it. */
export const maxAttempts = 3;

/**
 * What a claimed document is rendered from, with its images; a failure when it is not to be tried again; undefined when
 * the claim is lost. Reads nothing that is given already.
 */
export async function readJob(
  deps: Deps,
  claimed: Claimed,
  known?: RenderInput,
): Promise<RenderJob | Outcome | undefined> {
  if (claimed.attempts > maxAttempts) {
    const message = `The rendering was begun ${maxAttempts} times and never ended.`;
    return failed({ code: "GEN_RENDER_FAILED", message, details: { reason: "crashed" } });
  }
  const { orgId } = claimed;
  if (known !== undefined && imagesOf(known).length === 0) return { ...jobOf(known), images: new Map() };
  return withOrg(deps.pool, orgId, async (client) => {
    const input = known ?? (await readInput(orgId, client, claimed));
    if (input === undefined) return undefined;
    const images = await readImages(deps, orgId, client, input);
    return { ...jobOf(input), images };
  });
}

/** The renderer took nothing, for a reason of its own: the document is to be rendered again. */
export class NotRenderedError extends Error {}

/** Renders; what goes wrong with the document is an outcome too. Rejects with a NotRenderedError. */
export async function renderJob(deps: Deps, job: RenderJob, signal: AbortSignal): Promise<Outcome> {
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

/** Without its images. */
function jobOf({ source, version, ...same }: RenderInput): Omit<RenderJob, "images"> {
  const { content, title } = source;
  const { profile, locale, timeZone, createdAt, traceparent } = same;
  const trace = isSampled(traceparent) ? { traceparent } : {};
  const common = { title, locale, profile, createdAt, attachments: [], ...trace };
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
async function readImages(
  { blobs }: Deps,
  orgId: OrgId,
  client: pg.PoolClient,
  input: RenderInput,
): Promise<Map<string, RenderImage>> {
  const images = new Map<string, RenderImage>();
  const ids = imagesOf(input);
  if (ids.length === 0) return images;
  for (const { id, contentType, sha256 } of await findAssets(orgId, client, ids)) {
    const bytes = await blobs.read(orgId, sha256, client);
    if (bytes !== undefined) images.set(id, { contentType, bytes });
  }
  return images;
}
