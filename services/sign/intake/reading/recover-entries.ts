import { PDFCatalog, PDFDict, PDFName, type PDFObject, PDFRawStream, PDFRef } from "pdf-lib";
import { maxObjects } from "../pdf-limits.ts";
import { PdfProblem } from "../pdf-problem.ts";
import { type Entry, type FileBytes, tooManyObjects } from "./cross-reference.ts";
import { ObjectParser } from "./object-parser.ts";
import { openContainer } from "./object-stream.ts";

/** What is found where the cross-reference is broken. */
export interface Recovered {
  readonly entries: ReadonlyMap<number, Entry>;
  readonly trailer: PDFDict;
}

/** Searches a file for its objects. Of those with one number the last counts, and so does the last trailer with a root. */
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

/** Finds the beginnings of objects and trailers, one after the other. */
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
