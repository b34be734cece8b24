import { type PDFContext, PDFDocument, PDFHeader } from "pdf-lib";
import type { Graph } from "./read-graph.ts";
import { readGraph } from "./read-graph.ts";

/** The document of a file that was read, for the library that draws and writes: it has read nothing of it itself. */
export function documentOf({ context, version }: Graph): PDFDocument {
  const [major = 1, minor = 7] = version.split(".").map(Number);
  context.header = PDFHeader.forVersion(major, minor);
  return new (PDFDocument as unknown as DocumentClass)(context, true, false);
}

/** The same, so that what is changed can be written behind the file. */
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

/** A PDF as its cross-reference gives it, with everything that can be reached. */
export const openDocument = (bytes: Buffer): PDFDocument => documentOf(readGraph(bytes));

/** Its constructor is not of the published type: the library knows documents that it has read or made itself only. */
type DocumentClass = new (context: PDFContext, ignoreEncryption: boolean, updateMetadata: boolean) => PDFDocument;
