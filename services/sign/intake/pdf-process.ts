// The main program of an intake process. It has no configuration, no secrets and no network, and exits with its
// parent.
import { answerJobs } from "#platform/child-processes/fork-child.ts";
import { createFontLibrary } from "../completion/font-library.ts";
import { checkPdf } from "./check-pdf.ts";
import { documentToHtml } from "./document-to-html.ts";
import { findTexts, readTexts } from "./find-texts.ts";
import { mergePdfs, smallestPdf } from "./merge-pdfs.ts";
import type { IntakeJob, IntakeOutcome } from "./messages.ts";
import { damagedMessage, PdfProblem } from "./pdf-limits.ts";
import { pictureToPdf } from "./picture-to-pdf.ts";
import { prepareSeal } from "./prepare-seal.ts";
import { proposeTabs } from "./propose-tabs.ts";
import { readWords } from "./read-words.ts";

// The libraries log every oddity of a file to the console, where nobody would read it.
for (const method of ["log", "info", "warn", "error", "debug"] as const) console[method] = () => {};

const fonts = createFontLibrary();

async function work(job: IntakeJob): Promise<IntakeOutcome> {
  switch (job.kind) {
    case "check":
      return { kind: "checked", ...(await checkPdf(bufferOf(job.bytes), job.pdfFields)) };
    case "find-texts":
      return { kind: "found", places: await findTexts(job.bytes, job.wanted) };
    case "propose-tabs":
      return { kind: "proposed", proposals: await proposeTabs(job.bytes) };
    case "read-texts":
      return { kind: "texts", pages: await readTexts(job.bytes) };
    case "read-words":
      return { kind: "words", ...(await readWords(job.bytes)) };
    case "merge":
      return { kind: "merged", bytes: await mergePdfs(job.files) };
    case "prepare-seal":
      return { kind: "prepared", ...(await prepareSeal(job, fonts)) };
    case "picture-to-pdf":
      return { kind: "printed", pdf: await pictureToPdf(job.bytes) };
    case "to-html":
      return { kind: "html", html: documentToHtml(job.bytes, job.type) };
  }
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Any error that a library throws means that the file is damaged. */
async function answer(job: IntakeJob): Promise<IntakeOutcome> {
  try {
    return await work(job);
  } catch (error) {
    return { kind: "refused", problem: error instanceof PdfProblem ? error.message : damagedMessage };
  }
}

// Warms up, so that the first document does not have to wait.
await work({ kind: "check", bytes: smallestPdf });
answerJobs(answer);
