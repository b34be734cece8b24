import { RenderError, type Rendered, type Renderer, type RenderJob } from "../renderer/render-job.ts";

export interface FakeRenderer extends Renderer {
  /** What it was given, in its order. */
  readonly jobs: readonly RenderJob[];
  /** From now on jobs wait. */
  hold(): void;
  /** Lets those that wait go on, and from now on all. */
  letGo(): void;
  /** Called for each job; what it throws is what the job fails with. */
  answer(render: (job: RenderJob) => Partial<Rendered> | Promise<Partial<Rendered>>): void;
  /** Whether jobs that wait end when they are aborted. */
  setDeaf(isDeaf: boolean): void;
}

/** A renderer whose PDF is the text of the job: equal jobs have equal bytes. */
export function createFakeRenderer(size = 4): FakeRenderer {
  const jobs: RenderJob[] = [];
  let running = 0;
  let isDeaf = false;
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  let answer: (job: RenderJob) => Partial<Rendered> | Promise<Partial<Rendered>> = () => ({});
  const aborted = (signal: AbortSignal | undefined): Promise<never> =>
    new Promise((_resolve, reject) => {
      const end = () => {
        if (!isDeaf) reject(new RenderError("GEN_RENDER_FAILED", "It was aborted.", { reason: "aborted" }));
      };
      if (signal?.aborted === true) end();
      signal?.addEventListener("abort", end);
    });
  return {
    jobs,
    freeSlots: () => size - running,
    places: () => size,
    hold: () => {
      gate = Promise.withResolvers();
    },
    letGo: () => gate.resolve(),
    answer: (next) => {
      answer = next;
    },
    setDeaf: (next) => {
      isDeaf = next;
    },
    render: async (job, signal) => {
      jobs.push(job);
      running += 1;
      try {
        await Promise.race([gate.promise, aborted(signal)]);
        return { pdf: Buffer.from(textOf(job)), pages: 1, warnings: [], renderMs: 1, ...(await answer(job)) };
      } finally {
        running -= 1;
      }
    },
    close: async () => undefined,
  };
}

const textOf = ({ content, title, locale, createdAt }: RenderJob): string =>
  JSON.stringify({ content, title, locale, createdAt });
