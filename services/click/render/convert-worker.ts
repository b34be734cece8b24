import { answerJobs } from "#platform/worker-jobs.ts";
import { convertContent } from "./html-source.ts";

answerJobs(convertContent);
