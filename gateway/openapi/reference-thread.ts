import { answerJobs } from "#platform/worker-jobs.ts";
import { type ReferenceFile, referenceFiles } from "./page/reference-page.ts";

answerJobs(
  (document: Uint8Array): ReadonlyMap<string, ReferenceFile> =>
    referenceFiles(JSON.parse(Buffer.from(document).toString())),
);
