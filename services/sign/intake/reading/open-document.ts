import { type PDFContext, PDFDocument, PDFHeader } from "pdf-lib";
import { type Graph, readGraph } from "./read-graph.ts";

/** Wraps objects we have read as a pdf-lib document; pdf-lib parses nothing itself. */
export function documentOf({ context, version }: Graph): PDFDocument {
  const [major = 1, minor = 7] = version.split(".").map(Number);
  context.header = PDFHeader.forVersion(major, minor);
  return new (PDFDocument as unknown as DocumentClass)(context, true, false);
}

/** The same, but ready for an incremental update. */
export function extensibleDocumentOf(graph: Graph, bytes: Uint8Array): PDFDocument {
  const [newest] = graph.sections;
  if (newest === undefined) throw new Error("a file whose cross-reference is broken cannot be extended");
  const isStream = newest.kind === "stream";
  graph.context.pdfFileDetails = {
    ...{ pdfSize: bytes.length, prevStartXRef: newest.offset, useObjectStreams: isStream, originalBytes: bytes },
  };
  const document = documentOf(graph);
  document.takeSnapshot();
  return document;
}

/** A PDF with everything reachable from its cross-reference. */
export const openDocument = (bytes: Buffer): PDFDocument => documentOf(readGraph(bytes));

/**
 * The constructor is missing from the published types, because pdf-lib expects to parse or create documents
 * itself.
 */
type DocumentClass = new (context: PDFContext, ignoreEncryption: boolean, updateMetadata: boolean) => PDFDocument;
