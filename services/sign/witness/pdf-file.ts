import { inflateSync } from "node:zlib";
import { isArray, isDict, isKeyword, isRef, type PdfDict, type PdfValue, readValues } from "./pdf-objects.ts";

/** Where an object is: at a place in the file, or in an object stream. */
export type Entry = { readonly offset: number } | { readonly stream: number; readonly index: number };

export interface PdfStream {
  readonly dictionary: PdfDict;
  readonly data: Buffer;
}

/** A PDF as its cross-reference has it (ISO 32000-2 §7.5), read without the library that writes. */
export interface PdfFile {
  readonly trailer: PdfDict;
  /** Of all objects that are in use. */
  readonly entries: ReadonlyMap<number, Entry>;
  /** Null when there is none, as readers have it. */
  object(number: number): PdfValue | PdfStream;
  /** The value itself, or the object that it refers to. */
  resolve(value: PdfValue | undefined): PdfValue | PdfStream;
  /** What a stream holds, unpacked. Throws for other ways of packing than those of objects and contents. */
  unpack(stream: PdfStream): Buffer;
}

export const isStream = (value: PdfValue | PdfStream | undefined): value is PdfStream =>
  typeof value === "object" && value !== null && "data" in value;

const maxRevisions = 1_000;
const maxUnpacked = 64 * 1024 * 1024;

/** Throws when anything is not as the cross-reference says: nothing is guessed here. */
export function openPdf(bytes: Buffer): PdfFile {
  const entries = new Map<number, Entry | undefined>();
  const streams = new Map<number, { readonly data: Buffer; readonly places: readonly (readonly [number, number])[] }>();

  const parseAt = (offset: number, wanted?: number): PdfValue | PdfStream => {
    const values = readValues(bytes, offset);
    const [number, , keyword] = [values.next(), values.next(), values.next()];
    const isThere = isKeyword(keyword) && keyword.keyword === "obj" && (wanted === undefined || number === wanted);
    if (!isThere) throw new Error("an object does not stand where it should");
    const value = values.next();
    if (value === undefined || isKeyword(value)) return null;
    if (!isDict(value)) return value;
    const after = values.position();
    const next = values.next();
    if (!isKeyword(next) || next.keyword !== "stream") return value;
    let start = bytes.indexOf("stream", after) + "stream".length;
    if (bytes[start] === 0x0d) start += 1;
    if (bytes[start] === 0x0a) start += 1;
    const length = file.resolve(value.get("/Length"));
    if (typeof length !== "number" || start + length > bytes.length) throw new Error("a stream has no length");
    const end = bytes.toString("latin1", start + length, start + length + 20);
    if (!/^[\s\0]{0,10}endstream/.test(end)) throw new Error("a stream is not as long as it says");
    return { dictionary: value, data: bytes.subarray(start, start + length) };
  };
  const openStream = (number: number) => {
    const known = streams.get(number);
    if (known !== undefined) return known;
    const stream = file.object(number);
    const [count, first] = isStream(stream) ? ["/N", "/First"].map((key) => stream.dictionary.get(key)) : [];
    if (!isStream(stream) || typeof count !== "number" || typeof first !== "number") {
      throw new Error("an object stream is none");
    }
    const data = file.unpack(stream);
    const head = readValues(data.subarray(0, first));
    const places = Array.from({ length: count }, (): readonly [number, number] => {
      const [own, at] = [head.next(), head.next()];
      if (typeof own !== "number" || typeof at !== "number") throw new Error("an object stream has no table");
      return [own, first + at];
    });
    const opened = { data, places };
    streams.set(number, opened);
    return opened;
  };
  const file = {
    object: (number: number): PdfValue | PdfStream => {
      const entry = entries.get(number);
      if (entry === undefined) return null;
      if ("offset" in entry) return parseAt(entry.offset, number);
      if ("stream" in entry && entry.stream === number) throw new Error("an object is in itself");
      const { data, places } = openStream(entry.stream);
      const [own, at] = places[entry.index] ?? [];
      if (own !== number) throw new Error("an object is not where the cross-reference has it");
      return readValues(data, at).next() ?? null;
    },
    resolve: (value: PdfValue | undefined): PdfValue | PdfStream => {
      let found: PdfValue | PdfStream = value ?? null;
      for (let steps = 0; !isStream(found) && isRef(found); steps += 1) {
        if (steps > 10) throw new Error("references go round in a circle");
        found = file.object(found.ref);
      }
      return found;
    },
    unpack: ({ dictionary, data }: PdfStream): Buffer => {
      const filter = file.resolve(dictionary.get("/Filter"));
      const [name, ...more] = !isStream(filter) && isArray(filter) ? filter : [filter];
      if (name === null || name === undefined) return data;
      if ((name !== "/FlateDecode" && name !== "/Fl") || more.length > 0)
        throw new Error("it is packed in another way");
      const given = file.resolve(dictionary.get("/DecodeParms"));
      const parameters = !isStream(given) && isArray(given) ? file.resolve(given[0]) : given;
      return withoutPredictor(inflateSync(data, { maxOutputLength: maxUnpacked }), parameters);
    },
  };
  const trailers: PdfDict[] = [];
  const seen = new Set<number>();
  for (let at: number | undefined = lastSection(bytes); at !== undefined; ) {
    if (seen.has(at) || seen.size > maxRevisions) throw new Error("its revisions go round in a circle");
    seen.add(at);
    const section = readSection(bytes, at, parseAt, file.unpack);
    const hybrid = section.trailer.get("/XRefStm");
    const parts = [section.entries];
    // Between the table and those before it (§7.5.8.4).
    if (typeof hybrid === "number") parts.push(readSection(bytes, hybrid, parseAt, file.unpack).entries);
    for (const part of parts) for (const [number, entry] of part) if (!entries.has(number)) entries.set(number, entry);
    trailers.push(section.trailer);
    const previous = section.trailer.get("/Prev");
    at = typeof previous === "number" ? previous : undefined;
  }
  const inUse = new Map<number, Entry>();
  for (const [number, entry] of entries) if (entry !== undefined) inUse.set(number, entry);
  return { ...file, trailer: trailers[0] ?? new Map(), entries: inUse };
}

function lastSection(bytes: Buffer): number {
  const tail = bytes.toString("latin1", Math.max(0, bytes.length - 1_024));
  const found = /startxref\s{1,10}(\d{1,10})\s/.exec(tail.slice(Math.max(0, tail.lastIndexOf("startxref"))));
  if (found === null) throw new Error("it does not say where its cross-reference is");
  return Number(found[1]);
}

interface Section {
  readonly trailer: PdfDict;
  /** Undefined for those that are free. */
  readonly entries: ReadonlyMap<number, Entry | undefined>;
}

type ParseAt = (offset: number) => PdfValue | PdfStream;

function readSection(bytes: Buffer, at: number, parseAt: ParseAt, unpack: PdfFile["unpack"]): Section {
  if (/^[\s\0]{0,10}xref/.test(bytes.toString("latin1", at, at + 20))) return readTable(bytes, at);
  const stream = parseAt(at);
  if (!isStream(stream) || stream.dictionary.get("/Type") !== "/XRef") throw new Error("its cross-reference is none");
  return readStream(stream.dictionary, unpack(stream));
}

function readTable(bytes: Buffer, start: number): Section {
  const entries = new Map<number, Entry | undefined>();
  const values = readValues(bytes, start);
  values.next();
  for (;;) {
    const first = values.next();
    if (isKeyword(first) && first.keyword === "trailer") break;
    const count = values.next();
    if (typeof first !== "number" || typeof count !== "number") throw new Error("its cross-reference is damaged");
    for (let number = first; number < first + count; number += 1) {
      const [offset, , kind] = [values.next(), values.next(), values.next()];
      if (typeof offset !== "number" || !isKeyword(kind)) throw new Error("its cross-reference is damaged");
      // Many programs count from one; what says that it is at the beginning of the file is nowhere.
      entries.set(number, kind.keyword === "n" && offset > 0 ? { offset } : undefined);
    }
  }
  const trailer = values.next();
  if (!isDict(trailer)) throw new Error("it has no trailer");
  return { trailer, entries };
}

function readStream(trailer: PdfDict, data: Buffer): Section {
  const widths = trailer.get("/W");
  const size = trailer.get("/Size");
  const index = trailer.get("/Index") ?? [0, size ?? 0];
  if (!isArray(widths) || !isArray(index)) throw new Error("its cross-reference is damaged");
  const [kindWidth = 0, secondWidth = 0, thirdWidth = 0] = widths.map(Number);
  const entries = new Map<number, Entry | undefined>();
  let at = 0;
  const field = (width: number, otherwise: number): number => {
    if (width === 0) return otherwise;
    if (width > 6 || at + width > data.length) throw new Error("its cross-reference is cut off");
    at += width;
    return data.readUIntBE(at - width, width);
  };
  for (let part = 0; part + 1 < index.length; part += 2) {
    const [first, count] = [Number(index[part]), Number(index[part + 1])];
    for (let number = first; number < first + count; number += 1) {
      const kind = field(kindWidth, 1);
      const [second, third] = [field(secondWidth, 0), field(thirdWidth, 0)];
      if (kind === 1) entries.set(number, { offset: second });
      else entries.set(number, kind === 2 ? { stream: second, index: third } : undefined);
    }
  }
  return { trailer, entries };
}

/** Of the functions of PNG (ISO 32000-2 §7.4.4.4), which are used for tables. */
function withoutPredictor(data: Buffer, parameters: PdfValue | PdfStream): Buffer {
  if (isStream(parameters) || !isDict(parameters)) return data;
  const numberOf = (key: string, usual: number): number => Number(parameters.get(key) ?? usual);
  const predictor = numberOf("/Predictor", 1);
  if (predictor === 1) return data;
  if (predictor < 10 || numberOf("/Colors", 1) !== 1 || numberOf("/BitsPerComponent", 8) !== 8) {
    throw new Error("it is packed in another way");
  }
  const width = numberOf("/Columns", 1);
  const rows = Math.floor(data.length / (width + 1));
  const result = Buffer.alloc(rows * width);
  for (let row = 0; row < rows; row += 1) {
    const kind = data[row * (width + 1)];
    for (let column = 0; column < width; column += 1) {
      const at = row * width + column;
      const left = column === 0 ? 0 : (result[at - 1] ?? 0);
      const above = row === 0 ? 0 : (result[at - width] ?? 0);
      const corner = row === 0 || column === 0 ? 0 : (result[at - width - 1] ?? 0);
      const guesses = [0, left, above, (left + above) >> 1, paeth(left, above, corner)];
      result[at] = ((data[row * (width + 1) + 1 + column] ?? 0) + (guesses[kind ?? 0] ?? 0)) & 0xff;
    }
  }
  return result;
}

function paeth(left: number, above: number, corner: number): number {
  const [a, b, c] = [Math.abs(above - corner), Math.abs(left - corner), Math.abs(left + above - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? above : corner;
}
