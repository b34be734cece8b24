import { type PDFContext, PDFDict, PDFName, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";
import { ambiguous, encryptedMessage, PdfProblem } from "../pdf-limits.ts";
import { type Entry, type FileBytes, readSections } from "./cross-reference.ts";
import { ObjectParser } from "./object-parser.ts";
import { createObjectReader, fileOf, type Graph, headerOf, linksIn, load, newestSection } from "./read-graph.ts";
import { type Revision, revisionsOf } from "./recover-entries.ts";

/** A file that every reader must interpret in the same way. */
export interface StrictGraph extends Graph {
  /** The objects of all revisions, including replaced ones. */
  readonly objects: readonly PDFObject[];
  /** Oldest first. */
  readonly revisions: readonly Revision[];
}

/**
 * Reads a PDF only if it is unambiguous: each revision's cross-reference names exactly the objects in it, every
 * byte belongs to something named, and the newest revision comes last. Throws on anything ambiguous.
 */
export function readStrictly(bytes: Buffer): StrictGraph {
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof PdfProblem) throw error;
    // Those of libraries have a class of their own, and may quote the file.
    throw ambiguous(error instanceof Error && error.constructor === Error ? error.message : "it is damaged");
  }
}

function read(bytes: Buffer): StrictGraph {
  const { start, version } = headerOf(bytes);
  if (start !== 0) throw new Error("something stands before its beginning");
  const file = fileOf(bytes, true);
  const sections = readSections(file, newestSection(bytes));
  if (sections.some(({ trailer }) => trailer.has(PDFName.of("Encrypt")))) throw new PdfProblem(encryptedMessage);
  const revisions = revisionsOf(bytes, sections);
  const { objects, pieces, state } = account(file, revisions);
  refuseGaps(file, pieces);
  refuseOtherBeginning(file, revisions, pieces);
  const [newest] = sections;
  if (newest === undefined || !newest.trailer.has(PDFName.of("Root")))
    throw new Error("its newest trailer has no root");
  const graph = load(fileOf(bytes, true), state, newest.trailer);
  refuseGenerations(graph.context, state);
  return { ...graph, sections, version, objects, revisions };
}

/** A part of the file that is accounted for. */
interface Piece {
  readonly from: number;
  readonly to: number;
}

interface Account {
  readonly objects: PDFObject[];
  readonly pieces: Piece[];
  /** The final place of each object. */
  readonly state: ReadonlyMap<number, Entry>;
}

/** Walks through the revisions from the first; each must name exactly what it contains. */
function account(file: FileBytes, revisions: readonly Revision[]): Account {
  const objects: PDFObject[] = [];
  const pieces: Piece[] = [];
  const state = new Map<number, Entry>();
  for (const { from, to, named, trailers } of revisions) {
    const added = [...named].filter(([number, entry]) => entry.kind !== "free" && !isSame(state.get(number), entry));
    for (const [number, entry] of named) {
      if (entry.kind === "free") state.delete(number);
      else state.set(number, entry);
    }
    const reader = createObjectReader(file, state);
    const containers = new Set<number>();
    const ends = new Map(trailers.map((piece) => [piece.from, piece.to]));
    for (const [number, entry] of added) {
      if (entry.kind === "packed") {
        containers.add(entry.container);
        objects.push(reader.containerOf(entry.container).read(entry.index, number));
      } else if (entry.kind === "place" && number > 0) {
        if (entry.offset < from || entry.offset >= to) throw new Error("a revision names what does not stand in it");
        const { object, end } = reader.at(number, entry);
        objects.push(object);
        // A cross-reference stream is accounted for with its section, up to the `%%EOF`.
        if (!ends.has(entry.offset)) pieces.push({ from: entry.offset, to: end });
      }
    }
    for (const container of containers) {
      const { numbers } = reader.containerOf(container);
      const isNamed = (number: number, index: number) =>
        isSame(named.get(number), { kind: "packed", container, index });
      const place = named.get(container);
      if (place?.kind !== "place" || place.offset < from || !numbers.every(isNamed)) {
        throw new Error("an object stream has objects that its revision does not name");
      }
    }
    pieces.push(...trailers);
  }
  return { objects, pieces: pieces.sort((a, b) => a.from - b.from), state };
}

function isSame(a: Entry | undefined, b: Entry): boolean {
  if (a?.kind === "place" && b.kind === "place") return a.offset === b.offset && a.generation === b.generation;
  return a?.kind === "packed" && b.kind === "packed" && a.container === b.container && a.index === b.index;
}

/** Only white space and comments may stand between named parts, and comments must not look like anything else. */
function refuseGaps({ bytes, context }: FileBytes, pieces: readonly Piece[]): void {
  const parser = new ObjectParser(bytes, context, { isStrict: true });
  let at = "%PDF-1.7".length;
  for (const { from, to } of [...pieces, { from: bytes.length, to: bytes.length }]) {
    if (from < at) throw new Error("parts of it overlap");
    parser.at = at;
    parser.skipBlanks();
    if (parser.at !== from) {
      // The rest of the header's line counts as a comment.
      throw new Error("it has parts that nothing names");
    }
    if (/obj|stream|xref|trailer|%PDF|%%EOF/.test(bytes.toString("latin1", at, from))) {
      throw new Error("it has comments that look like parts of it");
    }
    at = to;
  }
}

/** A linearized file says so at its beginning, and some readers start from there. */
function refuseOtherBeginning(file: FileBytes, revisions: readonly Revision[], pieces: readonly Piece[]): void {
  const [first] = pieces;
  if (first === undefined) throw new Error("there is nothing in it");
  const parser = new ObjectParser(file.bytes, file.context, { isStrict: true }, first.from);
  if (!/^\d/.test(file.bytes.toString("latin1", first.from, first.from + 1))) return;
  const { object } = parser.indirectObject();
  if (!(object instanceof PDFDict) || !object.has(PDFName.of("Linearized"))) return;
  const length = object.get(PDFName.of("L"));
  if (!(length instanceof PDFNumber) || length.asNumber() !== file.bytes.length) return;
  parser.skipBlanks();
  if (revisions.length !== 1 || revisions[0]?.newest.offset !== parser.at) {
    throw new Error("it says that it begins elsewhere");
  }
}

function refuseGenerations(context: PDFContext, state: ReadonlyMap<number, Entry>): void {
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    const waiting = [ref, ...linksIn(object)];
    for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
      if (!(value instanceof PDFRef)) waiting.push(...(linksIn(value) as typeof waiting));
      else {
        const entry = state.get(value.objectNumber);
        const generation = entry?.kind === "place" ? entry.generation : 0;
        if (entry !== undefined && value.generationNumber !== generation) {
          throw new Error("it refers to an object of another generation");
        }
      }
    }
  }
}
