import { ParseSpeeds, PDFDocument } from "pdf-lib";
import { drawMarks } from "../completion/draw-marks.ts";
import type { FontLibrary } from "../completion/font-library.ts";
import { fixByteRange, type PreparedFile } from "../seal/byte-range.ts";
import { addSignaturePlaceholder } from "../seal/signature-placeholder.ts";
import { lastSection, type Section } from "./last-section.ts";
import type { SealPreparation } from "./messages.ts";
import { packNatively } from "./pack-natively.ts";
import { trackChanges } from "./track-changes.ts";

/**
 * Draws the marks and makes room for the seal. What people have seen stays in the file byte for byte, and the rest is added
 * after it, so that signatures that are there stay valid; only a file whose own table of contents is broken is written
 * anew, since readers would not find what was added.
 */
export async function prepareSeal(preparation: SealPreparation, fonts: FontLibrary): Promise<PreparedFile> {
  const { bytes, isSigned } = preparation;
  const section = lastSection(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (section === "broken" && !isSigned) return rewrite(preparation, fonts);
  try {
    return await extend(preparation, fonts, section);
  } catch (error) {
    // Extending or, when that did not work, writing it anew was tried when it came.
    if (isSigned) throw error;
    return rewrite(preparation, fonts);
  }
}

async function extend(preparation: SealPreparation, fonts: FontLibrary, section: Section): Promise<PreparedFile> {
  const document = await open(preparation, fonts, true);
  // Not every reader follows a chain of tables of both kinds.
  return fixByteRange(await document.commit({ useObjectStreams: section === "stream", objectsPerTick }));
}

async function rewrite(preparation: SealPreparation, fonts: FontLibrary): Promise<PreparedFile> {
  const document = await open(preparation, fonts, false);
  const options = { useObjectStreams: false, updateFieldAppearances: false, addDefaultPage: false, objectsPerTick };
  return fixByteRange(await document.save(options));
}

/** Nobody else waits in the process. */
const objectsPerTick = Number.POSITIVE_INFINITY;

async function open(
  { bytes, marks, statement }: SealPreparation,
  fonts: FontLibrary,
  forIncrementalUpdate: boolean,
): Promise<PDFDocument> {
  const options = { ignoreEncryption: true, updateMetadata: false, parseSpeed: ParseSpeeds.Fastest };
  const document = await PDFDocument.load(bytes, { ...options, forIncrementalUpdate });
  trackChanges(document.context);
  packNatively(document.context);
  await drawMarks(document, marks, fonts);
  addSignaturePlaceholder(document, statement);
  return document;
}
