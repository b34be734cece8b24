import { answerJobs } from "#platform/worker-jobs.ts";
import { type LookJob, runLookJob } from "./look-into.ts";

answerJobs<LookJob, ReturnType<typeof runLookJob>>(runLookJob, (looked) =>
  looked.kind === "clean" && looked.bytes.buffer instanceof ArrayBuffer ? [looked.bytes.buffer] : [],
);
