import { answerJobs } from "#platform/worker-jobs.ts";
import { staticFile } from "../static-file.ts";
import { referencePage, referencePagePolicy } from "./page/reference-page.ts";
import type { ReferencePage } from "./reference.ts";

answerJobs(
  (document: string): ReferencePage => ({
    page: staticFile(referencePage(JSON.parse(document))),
    pagePolicy: referencePagePolicy,
  }),
);
