import { PDFCatalog, PDFContext, PDFDict, PDFName, PDFNull, type PDFObject, PDFRawStream, PDFRef } from "pdf-lib";
import { maxObjects, PdfProblem } from "../pdf-limits.ts";
import { type Entry, type FileBytes, numberIn, type Section, tooManyObjects } from "./cross-reference.ts";
import { ObjectParser } from "./object-parser.ts";

/** What a search finds when the cross-reference is broken. */
export interface Recovered {
  readonly entries: ReadonlyMap<number, Entry>;
  readonly trailer: PDFDict;
}

/** Searches a file for objects. The last object with a number wins, as does the last trailer with a root. */
export function recoverEntries(file: FileBytes): Recovered {
  const entries = new Map<number, Entry>();
  let trailer: PDFDict | undefined;
  let catalog: PDFRef | undefined;
  const take = ({ number, generation, object }: Found, offset: number): void => {
    entries.set(number, { kind: "place", offset, generation });
    if (object instanceof PDFCatalog) catalog = PDFRef.of(number, generation);
    const type = object instanceof PDFRawStream ? object.dict.get(PDFName.Type) : undefined;
    if (type === PDFName.of("XRef") && object instanceof PDFRawStream) trailer = withRoot(object.dict) ?? trailer;
    if (type !== PDFName.of("ObjStm")) return;
    const numbers = numbersIn(file, object);
    for (const [index, packed] of numbers.entries()) {
      entries.set(packed, { kind: "packed", container: number, index });
      if (entries.size > maxObjects) throw tooManyObjects();
    }
  };
  const search = createSearch(file.bytes);
  let at = 0;
  for (let next = search(at); next !== undefined; next = search(at)) {
    const parser = new ObjectParser(file.bytes, file.context, { isStrict: false }, next.offset);
    at = next.end;
    try {
      if (next.kind === "trailer") {
        parser.at = next.end;
        const dictionary = parser.object();
        if (dictionary instanceof PDFDict) trailer = withRoot(dictionary) ?? trailer;
      } else {
        take(parser.indirectObject(), next.offset);
        if (entries.size > maxObjects) throw tooManyObjects();
      }
      at = parser.at;
    } catch (error) {
      if (error instanceof PdfProblem) throw error;
    }
  }
  if (trailer !== undefined) return { entries, trailer };
  if (catalog === undefined) throw new Error("there is no catalog");
  const made = PDFDict.withContext(file.context);
  made.set(PDFName.of("Root"), catalog);
  return { entries, trailer: made };
}

interface Found {
  readonly number: number;
  readonly generation: number;
  readonly object: PDFObject;
}

const withRoot = (dictionary: PDFDict): PDFDict | undefined =>
  dictionary.has(PDFName.of("Root")) ? dictionary : undefined;

function numbersIn(file: FileBytes, stream: PDFObject): readonly number[] {
  try {
    return openContainer(file, stream).numbers;
  } catch (error) {
    if (error instanceof PdfProblem) throw error;
    return [];
  }
}

/** Finds the starts of objects and trailers, in file order. */
function createSearch(bytes: Buffer) {
  let trailer = -2;
  return (from: number) => {
    if (trailer !== -1 && trailer < from) trailer = bytes.indexOf("trailer", from);
    for (let object = bytes.indexOf("obj", from); object >= 0; object = bytes.indexOf("obj", object + 3)) {
      if (trailer >= 0 && trailer < object) break;
      const before = bytes.toString("latin1", Math.max(from, object - 40), object);
      const head = /(\d{1,10})\s{1,10}\d{1,5}\s{0,10}$/.exec(before);
      if (head !== null) return { kind: "object", offset: object - head[0].length, end: object + 3 } as const;
    }
    return trailer < 0 ? undefined : ({ kind: "trailer", offset: trailer, end: trailer + 7 } as const);
  };
}

/** One incremental update: objects, followed by the section that names them. */
export interface Revision {
  readonly from: number;
  /** The offset after its `%%EOF`. */
  readonly to: number;
  readonly newest: Section;
  /** The entries of its sections. */
  readonly named: ReadonlyMap<number, Entry>;
  /** The ranges from each section to its `%%EOF`, where it has one. */
  readonly trailers: readonly { readonly from: number; readonly to: number }[];
}

/**
 * The revisions of a file, oldest first. Throws when they are not consecutive. `sections` starts with the
 * newest.
 */
export function revisionsOf(bytes: Buffer, sections: readonly Section[]): Revision[] {
  const groups = sections.map((section) => [section]);
  const [oldest, second] = [sections.at(-1), sections.at(-2)];
  // A linearized file has two sections in its first revision: one for its first page, and one after all the
  // rest.
  if (oldest !== undefined && second !== undefined && oldest.offset > second.offset) {
    groups.splice(-2, 2, [second, oldest]);
  }
  let from = 0;
  return groups.toReversed().map((group) => {
    const [newest = undefined] = group;
    if (newest === undefined) throw new Error("there is no section");
    const named = new Map<number, Entry>();
    for (const section of group) nameAll(named, section);
    const trailers = group.map((section) => ({ from: section.offset, to: endOf(bytes, section, group) }));
    const to = Math.max(...trailers.map((trailer) => trailer.to));
    if (newest.offset < from) throw new Error("its last cross-reference is not the newest");
    const revision = { from, to, newest, named, trailers };
    from = to;
    return revision;
  });
}

/** The entries of one revision's sections; no object may be named twice. */
function nameAll(named: Map<number, Entry>, { entries, hybrid }: Section): void {
  for (const one of [entries, ...(hybrid === undefined ? [] : [hybrid.entries])]) {
    for (const [number, entry] of one) {
      const known = named.get(number);
      if (known !== undefined && (known.kind !== "free" || entry.kind !== "free")) {
        throw new Error("a revision names an object twice");
      }
      named.set(number, entry);
    }
  }
}

/** The offset after the `%%EOF` that follows a section and points readers to it. */
function endOf(bytes: Buffer, section: Section, group: readonly Section[]): number {
  const parser = new ObjectParser(bytes, PDFContext.create(), { isStrict: true }, section.end);
  parser.skipBlanks();
  if (!parser.word("startxref")) {
    // In a linearized file the first section needs no end marker; some programs omit it for a stream.
    if (group.length > 1 && section === group[0] && section.kind === "stream") return section.end;
    throw new Error("nothing says where a revision begins");
  }
  parser.skipBlanks();
  const begin = parser.integer();
  // In a linearized file `startxref` is 0 after the first section, and points to the first section after the
  // second.
  const expected =
    group.length === 1 ? [section.offset] : section === group[0] ? [0, section.offset] : [group[0]?.offset];
  if (!expected.includes(begin)) throw new Error("a revision says that it begins elsewhere");
  while (/\s/.test(bytes.toString("latin1", parser.at, parser.at + 1))) parser.at += 1;
  if (bytes.toString("latin1", parser.at, parser.at + 5) !== "%%EOF") throw new Error("a revision does not end");
  return parser.at + 5;
}

/** An unpacked object stream. */
export interface Container {
  /** The numbers of its objects. */
  readonly numbers: readonly number[];
  read(index: number, number: number): PDFObject;
}

/** Opens an object stream. Throws when it is not one. */
export function openContainer(file: FileBytes, stream: PDFObject): Container {
  if (!(stream instanceof PDFRawStream) || stream.dict.get(PDFName.Type) !== PDFName.of("ObjStm")) {
    throw new Error("there is no object stream");
  }
  const [count, first] = [numberIn(stream.dict, "N"), numberIn(stream.dict, "First")];
  if (count === undefined || first === undefined) throw new Error("an object stream is damaged");
  if (count > maxObjects) throw tooManyObjects();
  const data = file.unpack(stream);
  const parser = new ObjectParser(data, file.context, { isStrict: file.isStrict });
  const heads = Array.from({ length: count }, () => {
    parser.skipBlanks();
    const number = parser.integer();
    parser.skipBlanks();
    return { number, offset: first + parser.integer() };
  });
  return {
    numbers: heads.map(({ number }) => number),
    read: (index, number) => {
      const head = heads[index];
      if (head?.number !== number) throw new Error("another object stands there");
      parser.at = head.offset;
      const object = parser.object();
      return object instanceof PDFRef ? PDFNull : object;
    },
  };
}
