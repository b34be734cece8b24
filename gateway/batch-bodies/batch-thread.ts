import { answerJobs } from "#platform/worker-jobs.ts";
import { createBatchReader } from "./read-batch.ts";

answerJobs(createBatchReader());
