import { answerJobs } from "#platform/worker-jobs.ts";
import { runCheckJob } from "./check-job.ts";

answerJobs(runCheckJob);
