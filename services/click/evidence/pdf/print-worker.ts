import { answerJobs } from "#platform/worker-jobs.ts";
import { evidenceHtml } from "./evidence-html.ts";

answerJobs(evidenceHtml);
