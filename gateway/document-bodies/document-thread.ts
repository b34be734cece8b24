import { answerJobs } from "#platform/worker-jobs.ts";
import { buffersOf, readForSending } from "./read-documents.ts";

answerJobs(readForSending, buffersOf);
