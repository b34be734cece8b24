import { answerJobs } from "#platform/worker-jobs.ts";
import { type CopyHtmlJob, copyHtml } from "../../copies/copy-html.ts";
import { type EvidenceHtmlJob, evidenceHtml } from "./evidence-html.ts";

answerJobs((job: EvidenceHtmlJob | CopyHtmlJob) => ("kind" in job ? copyHtml(job) : evidenceHtml(job)));
