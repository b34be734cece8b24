import { PDFName } from "pdf-lib";
import { refuseForbiddenContent } from "./forbidden-content.ts";
import type { CheckedPdf, PdfFacts } from "./messages.ts";
import { readPages } from "./page-tree.ts";
import { PdfProblem } from "./pdf-problem.ts";
import { extensibleDocumentOf } from "./reading/open-document.ts";
import { type Graph, readGraph } from "./reading/read-graph.ts";
import { readStrictly } from "./reading/read-strictly.ts";
import { writeGraph } from "./reading/write-graph.ts";
import { isSigned } from "./signed-fields.ts";
import { tryExtending } from "./trial-save.ts";

/**
 * Reads what has to be known of a PDF, by its cross-reference alone, and writes it anew: what is shown, searched, filled
 * and sealed from now on is exactly what was read here. Only a file that carries signatures stays as it is, and is taken
 * only when nobody can read it differently. Throws when a file cannot be part of an agreement: nothing that passes may fail
 * when fields are drawn on it and it is sealed. Takes as long and as much memory as the file wants: only for processes
 * that may be killed.
 */
export async function checkPdf(bytes: Buffer): Promise<CheckedPdf> {
  const graph = readGraph(bytes);
  if (isSigned(graph.context)) return checkSigned(bytes);
  refuseForbiddenContent(graph.context.enumerateIndirectObjects().map(([, object]) => object));
  const rewritten = await writeGraph(graph, bytes);
  return { ...(await tryDocument(readStrictly(bufferOf(rewritten)), rewritten)), isSigned: false, rewritten };
}

async function checkSigned(bytes: Buffer): Promise<CheckedPdf> {
  const graph = readStrictly(bytes);
  refuseForbiddenContent(graph.objects);
  return { ...(await tryDocument(graph, bytes)), isSigned: true };
}

/** Does what sealing does. */
async function tryDocument(graph: Graph, bytes: Uint8Array): Promise<Pick<PdfFacts, "pages">> {
  const document = extensibleDocumentOf(graph, bytes);
  const pages = readPages(document);
  if (document.getPageCount() !== pages.length) throw new PdfProblem("The list of pages of the PDF is damaged.");
  // Packing objects costs time, and is refused only to files whose metadata claim that they are PDF/A-1.
  const isPacked = graph.sections[0]?.kind === "stream" && document.catalog.has(PDFName.of("Metadata"));
  await tryExtending(document, isPacked);
  return { pages };
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
