import { drawMarks } from "../completion/draw-marks.ts";
import type { FontLibrary } from "../completion/font-library.ts";
import { fixByteRange, type PreparedFile } from "../seal/byte-range.ts";
import { addSignaturePlaceholder } from "../seal/signature-placeholder.ts";
import type { SealPreparation } from "./messages.ts";
import { packNatively } from "./pack-natively.ts";
import { extensibleDocumentOf } from "./reading/open-document.ts";
import { readGraph } from "./reading/read-graph.ts";
import { readStrictly } from "./reading/read-strictly.ts";
import { writeGraph } from "./reading/write-graph.ts";
import { trackChanges } from "./track-changes.ts";

/**
 * Draws the marks and makes room for the seal. What people have seen stays in the file byte for byte, and the rest is added
 * after it, so that signatures that are there stay valid.
 */
export async function prepareSeal(preparation: SealPreparation, fonts: FontLibrary): Promise<PreparedFile> {
  const bytes = Buffer.from(preparation.bytes.buffer, preparation.bytes.byteOffset, preparation.bytes.byteLength);
  try {
    return await extend(bytes, preparation, fonts);
  } catch (error) {
    if (preparation.isSigned) throw error;
    // It was taken before files were written anew when they come: that is made up for.
    return extend(Buffer.from(await writeGraph(readGraph(bytes), bytes)), preparation, fonts);
  }
}

async function extend(bytes: Buffer, { marks, statement }: SealPreparation, fonts: FontLibrary): Promise<PreparedFile> {
  const graph = readStrictly(bytes);
  const document = extensibleDocumentOf(graph, bytes);
  trackChanges(document.context);
  packNatively(document.context);
  await drawMarks(document, marks, fonts);
  addSignaturePlaceholder(document, statement);
  // Not every reader follows a chain of tables of both kinds.
  const useObjectStreams = graph.sections[0]?.kind === "stream";
  return fixByteRange(await document.commit({ useObjectStreams, objectsPerTick: Number.POSITIVE_INFINITY }));
}
