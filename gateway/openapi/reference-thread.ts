import { answerJobs } from "#platform/worker-jobs.ts";
import { staticFile } from "../static-file.ts";
import { referencePage, referencePagePolicy } from "./page/reference-page.ts";
import type { ReferencePage } from "./reference.ts";

answerJobs(
  (document: Uint8Array): ReferencePage => ({
    page: staticFile(referencePage(JSON.parse(Buffer.from(document).toString()))),
    pagePolicy: referencePagePolicy,
  }),
);
