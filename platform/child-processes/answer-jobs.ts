import { Worker } from "node:worker_threads";
import type { ChildAnswer, Defect } from "./messages.ts";

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
