import { Worker } from "node:worker_threads";
import type { RendererAnswer, RenderOutcome } from "./messages.ts";
import { RenderError, type Rendered, type RenderJob } from "./render-job.ts";

/** Makes this program a renderer process: says that it is ready and answers each job with what `render` makes of it. */
export function answerRenders(render: (job: RenderJob) => Omit<Rendered, "renderMs">): void {
  process.on("disconnect", () => process.exit());
  // A rendering holds the thread, so that it would not see that the parent is gone.
  new Worker(new URL("./parent-watch.ts", import.meta.url), { workerData: Number(process.argv[2]) }).unref();
  process.on("message", (job: RenderJob) => send(answer(render, job)));
  send({ kind: "ready" });
}

function send(outcome: RendererAnswer["outcome"]): void {
  const answer: RendererAnswer = { outcome, residentBytes: process.memoryUsage.rss() };
  process.send?.(answer);
}

function answer(render: (job: RenderJob) => Omit<Rendered, "renderMs">, job: RenderJob): RenderOutcome {
  const start = performance.now();
  try {
    const rendered = render(job);
    return { kind: "rendered", rendered: { ...rendered, renderMs: performance.now() - start } };
  } catch (error) {
    if (error instanceof RenderError) {
      const { code, message, details, cause } = error;
      return { kind: "refused", code, message, details, notes: notesOf(cause) };
    }
    return { kind: "defect", name: error instanceof Error ? error.name : typeof error, frames: framesOf(error) };
  }
}

const maxNotes = 5;
const maxNoteLength = 200;

/** What stands in quotation marks may come from the document. */
const notesOf = (cause: unknown): string[] =>
  Array.isArray(cause)
    ? cause.slice(0, maxNotes).map((note) =>
        String(note)
          .replaceAll(/(["'`]).*\1/gs, "…")
          .slice(0, maxNoteLength),
      )
    : [];

const maxFrames = 10;

const framesOf = (error: unknown): string[] =>
  error instanceof Error
    ? (error.stack ?? "")
        .split("\n")
        .filter((line) => /^ {4}at [^"'`]*:\d+:\d+\)?$/.test(line))
        .slice(0, maxFrames)
        .map((line) => line.trim())
    : [];
