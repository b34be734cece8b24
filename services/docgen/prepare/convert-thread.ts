import { answerJobs } from "#platform/worker-jobs.ts";
import { convertText } from "./convert-text.ts";

answerJobs(convertText);
