import { answerJobs } from "#platform/child-processes/fork-child.ts";
import { RenderError, type Rendered, type RenderJob, type RenderOutcome } from "./render-job.ts";

/**
 * Turns this program into a renderer process: it reports that it is ready and answers each job with the result of
 * `render`.
 */
export const answerRenders = (render: (job: RenderJob) => Omit<Rendered, "renderMs">): void =>
  answerJobs((job: RenderJob) => answer(render, job));

function answer(render: (job: RenderJob) => Omit<Rendered, "renderMs">, job: RenderJob): RenderOutcome {
  const start = performance.now();
  try {
    const rendered = render(job);
    return { kind: "rendered", rendered: { ...rendered, renderMs: performance.now() - start } };
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    const { code, message, details, cause } = error;
    return { kind: "refused", code, message, details, notes: notesOf(cause) };
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
