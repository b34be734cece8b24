import { answerJobs } from "#platform/worker-jobs.ts";
import { checkContent } from "../domain/content-rules/check-content.ts";

answerJobs(checkContent);
