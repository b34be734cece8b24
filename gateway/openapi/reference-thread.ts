import { answerJobs } from "#platform/worker-jobs.ts";
import { allRoutes } from "../routes/index.ts";
import { staticFile } from "../static-file.ts";
import { buildOpenApi } from "./build.ts";
import { referencePage, referencePagePolicy } from "./page/reference-page.ts";
import type { Reference } from "./reference.ts";

answerJobs((publicUrl: string): Reference => {
  const document = buildOpenApi(allRoutes, publicUrl);
  return {
    document: staticFile(JSON.stringify(document)),
    page: staticFile(referencePage(document)),
    pagePolicy: referencePagePolicy,
  };
});
