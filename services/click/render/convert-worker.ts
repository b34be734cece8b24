import { answerJobs } from "#platform/worker-jobs.ts";
import { convertContent } from "./convert-content.ts";

answerJobs(convertContent);
