import {
  PDFArray,
  PDFContext,
  PDFDict,
  PDFDocument,
  PDFHeader,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRef,
  PDFStream,
} from "pdf-lib";
import { damagedMessage, encryptedMessage, maxObjects, PdfProblem } from "../pdf-limits.ts";
import {
  type Entry,
  entriesOf,
  type FileBytes,
  numberIn,
  readSections,
  type Section,
  tooManyObjects,
} from "./cross-reference.ts";
import { ObjectParser } from "./object-parser.ts";
import { type Container, openContainer, recoverEntries } from "./recover-entries.ts";
import { createUnpacker } from "./unpack.ts";

/** The reachable objects of a file, as its cross-reference gives them. */
export interface Graph {
  /** The objects under their numbers, with the trailer; dangling references are null. */
  readonly context: PDFContext;
  readonly trailer: PDFDict;
  /** Newest first; empty when the cross-reference is broken and objects were found by searching. */
  readonly sections: readonly Section[];
  readonly version: string;
}

/**
 * Reads a PDF by its cross-reference alone (tables, streams and hybrids, through all revisions) and skips
 * unreferenced objects. The file is searched for objects only when the cross-reference is broken, as readers
 * do. That is guesswork, so such a file must be rewritten before anybody sees it.
 */
export function readGraph(bytes: Buffer): Graph {
  const { start, version } = headerOf(bytes);
  const own = bytes.subarray(start);
  try {
    const file = fileOf(own, false);
    const sections = readSections(file, newestSection(own));
    return { ...load(file, entriesOf(sections), trailerOf(sections)), sections, version };
  } catch (error) {
    if (error instanceof PdfProblem) throw error;
    const file = fileOf(own, false);
    const { entries, trailer } = recoverEntries(file);
    return { ...load(file, entries, trailer), sections: [], version };
  }
}

export function fileOf(bytes: Buffer, isStrict: boolean): FileBytes {
  return { bytes, context: PDFContext.create(), isStrict, unpack: createUnpacker() };
}

/** Readers accept the header in the first kilobyte, and count offsets from it. */
export function headerOf(bytes: Buffer): { readonly start: number; readonly version: string } {
  const start = bytes.subarray(0, 1_024 + 8).indexOf("%PDF-");
  if (start < 0) throw new PdfProblem(damagedMessage);
  const version = /^\d\.\d/.exec(bytes.toString("latin1", start + 5, start + 8))?.[0] ?? "1.4";
  return { start, version };
}

/** The offset of the newest cross-reference section, from the end of the file. */
export function newestSection(bytes: Buffer): number {
  const at = bytes.lastIndexOf("startxref");
  const found = /^startxref\s{1,20}(\d{1,10})/.exec(bytes.toString("latin1", at, at + 50));
  if (at < 0 || found === null) throw new Error("nothing says where the cross-reference begins");
  return Number(found[1]);
}

/**
 * The newest trailer that names the root: in a linearized file that is the first section's, since the second
 * need not.
 */
const trailerOf = (sections: readonly Section[]): PDFDict => {
  const found = sections.find(({ trailer }) => trailer.has(rootName));
  if (found === undefined) throw new Error("there is no root");
  return found.trailer;
};

const rootName = PDFName.of("Root");

/** Loads everything reachable from the trailer into the context. */
export function load(
  file: FileBytes,
  entries: ReadonlyMap<number, Entry>,
  trailer: PDFDict,
): Pick<Graph, "context" | "trailer"> {
  const { context } = file;
  if (trailer.has(PDFName.of("Encrypt"))) throw new PdfProblem(encryptedMessage);
  const objects = createObjectReader(file, entries);
  const waiting: PDFObject[] = ["Root", "Info"].flatMap((name) => trailer.get(PDFName.of(name)) ?? []);
  const seen = new Set<number>();
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (value instanceof PDFRef) {
      if (seen.has(value.objectNumber)) continue;
      const object = objects.read(value);
      if (object === undefined) continue;
      seen.add(value.objectNumber);
      if (seen.size > maxObjects) throw tooManyObjects();
      context.assign(value, object);
      waiting.push(object);
    } else waiting.push(...linksIn(value));
  }
  const root = context.lookup(trailer.get(rootName));
  if (!(root instanceof PDFDict) || !(root.lookup(PDFName.of("Pages")) instanceof PDFDict)) {
    throw new Error("there is no catalog");
  }
  // New objects get numbers above every number ever used.
  const size = numberIn(trailer, "Size") ?? 0;
  for (const number of entries.keys()) context.largestObjectNumber = Math.max(context.largestObjectNumber, number);
  context.largestObjectNumber = Math.max(context.largestObjectNumber, Math.min(size, 10 * maxObjects) - 1);
  const part = (name: string) => trailer.get(PDFName.of(name));
  const [rootRef, info, id] = [part("Root"), part("Info"), part("ID")];
  context.trailerInfo = {
    ...(rootRef === undefined ? {} : { Root: rootRef }),
    ...(info === undefined ? {} : { Info: info }),
    ...(id === undefined ? {} : { ID: id }),
  };
  return { context, trailer };
}

/** The references, dictionaries and arrays directly inside an object. */
export function linksIn(object: PDFObject): PDFObject[] {
  if (object instanceof PDFStream) return [object.dict];
  if (object instanceof PDFDict) return object.values().filter(isLink);
  return object instanceof PDFArray ? object.asArray().filter(isLink) : [];
}

const isLink = (value: PDFObject): boolean =>
  value instanceof PDFRef || value instanceof PDFDict || value instanceof PDFArray;

/** Reads single objects by their entries. Throws when an entry points at another object. */
export function createObjectReader(file: FileBytes, entries: ReadonlyMap<number, Entry>) {
  const containers = new Map<number, Container>();
  const lengths = new Set<number>();

  const lengthOf = (reference: PDFRef): number | undefined => {
    // A stream's length cannot itself be inside that stream.
    if (lengths.has(reference.objectNumber)) return undefined;
    lengths.add(reference.objectNumber);
    try {
      const length = read(reference);
      return length instanceof PDFNumber ? length.asNumber() : undefined;
    } finally {
      lengths.delete(reference.objectNumber);
    }
  };
  const at = (number: number, entry: Entry & { kind: "place" }) => {
    if (entry.offset >= file.bytes.length) throw new Error("an object stands behind the end");
    const parser = new ObjectParser(file.bytes, file.context, { isStrict: file.isStrict, lengthOf }, entry.offset);
    const found = parser.indirectObject();
    if (found.number !== number || found.generation !== entry.generation) {
      throw new Error("another object stands there");
    }
    return { object: found.object, end: parser.at };
  };
  const containerOf = (number: number): Container => {
    const known = containers.get(number);
    if (known !== undefined) return known;
    const entry = entries.get(number);
    if (entry?.kind !== "place") throw new Error("there is no object stream");
    const { object } = at(number, entry);
    const made = openContainer(file, object);
    containers.set(number, made);
    return made;
  };
  const read = (reference: PDFRef): PDFObject | undefined => {
    const found = readEntry(reference);
    // Neither every reader nor pdf-lib follows a longer chain of references.
    if (found instanceof PDFRef) {
      throw new PdfProblem(
        "The PDF has an object that is nothing but a reference to another one. Save it again and retry.",
      );
    }
    return found;
  };
  const readEntry = ({ objectNumber, generationNumber }: PDFRef): PDFObject | undefined => {
    const entry = entries.get(objectNumber);
    if (entry === undefined || entry.kind === "free") return undefined;
    if (entry.kind === "packed") {
      return generationNumber === 0 ? containerOf(entry.container).read(entry.index, objectNumber) : undefined;
    }
    // The head of the free list, which some programs mark as in use.
    if (entry.generation !== generationNumber || objectNumber === 0) return undefined;
    return at(objectNumber, entry).object;
  };
  return { read, at, containerOf };
}

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
