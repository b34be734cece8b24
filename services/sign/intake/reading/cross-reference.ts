import { PDFArray, type PDFContext, PDFDict, PDFName, PDFNumber, PDFRawStream } from "pdf-lib";
import { maxObjects, maxRevisions, PdfProblem } from "../pdf-limits.ts";
import { ObjectParser } from "./object-parser.ts";

/** Where an object is: at an offset in the file, or in an object stream. */
export type Entry =
  | { readonly kind: "place"; readonly offset: number; readonly generation: number }
  | { readonly kind: "packed"; readonly container: number; readonly index: number }
  | { readonly kind: "free" };

/** A cross-reference section with its trailer. */
export interface Section {
  readonly offset: number;
  /** The offset after its trailer. */
  readonly end: number;
  readonly kind: "table" | "stream";
  /** By object number. */
  readonly entries: ReadonlyMap<number, Entry>;
  readonly trailer: PDFDict;
  /** For a hybrid file: the cross-reference stream meant for newer readers. */
  readonly hybrid: Section | undefined;
}

export interface FileBytes {
  readonly bytes: Buffer;
  readonly context: PDFContext;
  readonly isStrict: boolean;
  unpack(stream: PDFRawStream): Buffer;
}

/** The sections from newest to oldest. Throws when one cannot be read. */
export function readSections(file: FileBytes, newest: number): Section[] {
  const seen = new Set<number>();
  const sections: Section[] = [];
  let left = maxObjects;
  const read = (offset: number): Section => {
    if (seen.has(offset)) throw new PdfProblem("The revisions of the PDF refer to each other in a circle.");
    seen.add(offset);
    const section = readSection(file, offset, left);
    left -= section.entries.size;
    return section;
  };
  let offset: number | undefined = newest;
  while (offset !== undefined) {
    if (sections.length >= maxRevisions) throw new PdfProblem(`The PDF has more than ${maxRevisions} revisions.`);
    const section = read(offset);
    const stream = numberIn(section.trailer, "XRefStm");
    sections.push({ ...section, hybrid: stream === undefined || section.kind === "stream" ? undefined : read(stream) });
    offset = numberIn(section.trailer, "Prev");
  }
  return sections;
}

/** Combines the sections: the newest entry for each object wins. */
export function entriesOf(sections: readonly Section[]): Map<number, Entry> {
  const entries = new Map<number, Entry>();
  const add = (more: ReadonlyMap<number, Entry>) => {
    for (const [number, entry] of more) if (!entries.has(number)) entries.set(number, entry);
  };
  for (const { entries: own, hybrid } of sections) {
    // In a hybrid file, the table marks objects of the stream as free.
    const named = hybrid === undefined ? own : new Map([...own].filter(([number]) => !isHidden(own, hybrid, number)));
    add(named);
    if (hybrid !== undefined) add(hybrid.entries);
  }
  return entries;
}

const isHidden = (own: Section["entries"], hybrid: Section, number: number): boolean =>
  own.get(number)?.kind === "free" && hybrid.entries.has(number);

export const tooManyObjects = () => new PdfProblem(`The PDF has more than ${maxObjects.toLocaleString("en")} objects.`);

export function numberIn(dictionary: PDFDict, name: string): number | undefined {
  const value = dictionary.get(PDFName.of(name));
  return value instanceof PDFNumber ? value.asNumber() : undefined;
}

function readSection(file: FileBytes, offset: number, maxEntries: number): Section {
  if (!Number.isInteger(offset) || offset < 0 || offset >= file.bytes.length) throw new Error("there is no section");
  const parser = new ObjectParser(file.bytes, file.context, { isStrict: file.isStrict }, offset);
  if (!file.isStrict) parser.skipBlanks();
  return parser.word("xref")
    ? readTable(parser, file, offset, maxEntries)
    : readStream(parser, file, offset, maxEntries);
}

function readTable(parser: ObjectParser, { isStrict }: FileBytes, offset: number, maxEntries: number): Section {
  const entries = new Map<number, Entry>();
  parser.skipBlanks();
  while (!parser.word("trailer")) {
    let first = parser.integer();
    parser.skipBlanks();
    const count = parser.integer();
    for (let index = 0; index < count; index += 1) {
      const entry = readRow(parser);
      // Some programs number the first, free entry 1 instead of 0.
      if (index === 0 && first === 1 && entry.kind === "free" && !isStrict) first = 0;
      if (entries.size >= maxEntries) throw tooManyObjects();
      if (!entries.has(first + index)) entries.set(first + index, entry);
      else if (isStrict) throw new Error("a section names an object twice");
    }
    parser.skipBlanks();
  }
  const trailer = parser.object();
  if (!(trailer instanceof PDFDict)) throw new Error("there is no trailer");
  return { offset, end: parser.at, kind: "table", entries, trailer, hybrid: undefined };
}

function readRow(parser: ObjectParser): Entry {
  parser.skipBlanks();
  const offset = parser.integer();
  parser.skipBlanks();
  const generation = parser.integer();
  parser.skipBlanks();
  if (parser.word("n")) return { kind: "place", offset, generation };
  if (parser.word("f")) return { kind: "free" };
  throw new Error("a row of the table is none");
}

function readStream(parser: ObjectParser, file: FileBytes, offset: number, maxEntries: number): Section {
  const { object } = parser.indirectObject();
  if (!(object instanceof PDFRawStream) || object.dict.get(PDFName.Type) !== PDFName.of("XRef")) {
    throw new Error("there is no section");
  }
  const { dict } = object;
  const data = file.unpack(object);
  const widths = numbersOf(dict.get(PDFName.of("W")));
  const [typeWidth = 0, secondWidth = 0, thirdWidth = 0] = widths;
  const width = typeWidth + secondWidth + thirdWidth;
  if (widths.length !== 3 || !widths.every((one) => one <= 8) || width === 0) throw new Error("no widths");
  const entries = new Map<number, Entry>();
  let at = 0;
  const field = (bytes: number): number => {
    let value = 0;
    for (const end = at + bytes; at < end; at += 1) value = value * 256 + (data[at] ?? 0);
    return value;
  };
  for (const [first, count] of subsections(dict)) {
    for (let index = 0; index < count; index += 1) {
      if (at + width > data.length) {
        if (file.isStrict) throw new Error("a section is too short");
        break;
      }
      const type = typeWidth === 0 ? 1 : field(typeWidth);
      const entry = entryOf(type, field(secondWidth), field(thirdWidth));
      if (entries.size >= maxEntries) throw tooManyObjects();
      if (!entries.has(first + index)) entries.set(first + index, entry);
      else if (file.isStrict) throw new Error("a section names an object twice");
    }
  }
  return { offset, end: parser.at, kind: "stream", entries, trailer: dict, hybrid: undefined };
}

function entryOf(type: number, second: number, third: number): Entry {
  if (type === 1) return { kind: "place", offset: second, generation: third };
  if (type === 2) return { kind: "packed", container: second, index: third };
  return { kind: "free" };
}

function subsections(dictionary: PDFDict): [first: number, count: number][] {
  const index = dictionary.get(PDFName.of("Index"));
  if (index === undefined) return [[0, numberIn(dictionary, "Size") ?? 0]];
  const numbers = numbersOf(index);
  return Array.from({ length: numbers.length >> 1 }, (_, pair) => [numbers[2 * pair] ?? 0, numbers[2 * pair + 1] ?? 0]);
}

function numbersOf(value: unknown): number[] {
  if (!(value instanceof PDFArray)) throw new Error("there are no numbers");
  return value.asArray().map((item) => {
    if (!(item instanceof PDFNumber) || !Number.isInteger(item.asNumber()) || item.asNumber() < 0) {
      throw new Error("there is no number");
    }
    return item.asNumber();
  });
}
