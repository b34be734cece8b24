import { answerJobs } from "#platform/worker-jobs.ts";
import { convertOrCompare } from "./html-source.ts";

answerJobs(convertOrCompare);
