import { inflateSync } from "node:zlib";
import { maxObjects, maxRevisions, maxUnpackedBytes } from "./pdf-limits.ts";
import { PdfProblem } from "./pdf-problem.ts";

/**
 * Looks for what would overwhelm a PDF parser, without one: packed objects that unpack to far more (half a megabyte can
 * become 500), objects without number, revisions that refer to each other in a circle. Takes linear time. It reads
 * names and numbers as they usually stand; who hides them meets the memory limit of the process instead.
 */
export function prescanPdf(bytes: Buffer): void {
  countObjects(bytes);
  unpackStreams(bytes);
  followRevisions(bytes);
}

function countObjects(bytes: Buffer): void {
  let objects = 0;
  for (let at = bytes.indexOf(" obj"); at !== -1; at = bytes.indexOf(" obj", at + 4)) {
    objects += 1;
    if (objects > maxObjects) throw tooManyObjects();
  }
}

const tooManyObjects = () => new PdfProblem(`The PDF has more than ${maxObjects.toLocaleString("en")} objects.`);

function unpackStreams(bytes: Buffer): void {
  let unpacked = 0;
  let packedObjects = 0;
  let from = 0;
  for (let at = bytes.indexOf("stream"); at !== -1; at = bytes.indexOf("stream", at + 6)) {
    if (bytes.subarray(at - 3, at).equals(end)) continue;
    const dictionary = readDictionary(bytes.subarray(from, at));
    from = at + 6;
    if (dictionary === undefined) continue;
    packedObjects += countOf(dictionary);
    if (packedObjects > maxObjects) throw tooManyObjects();
    unpacked += sizeUnpacked(bytes, at + 6, dictionary, maxUnpackedBytes - unpacked);
  }
}

const end = Buffer.from("end");

/** What stands before the stream when it may be one of objects; undefined for pictures, fonts and contents. */
function readDictionary(before: Buffer): string | undefined {
  const text = withoutEscapes(before.subarray(-maxDictionaryLength).toString("latin1"));
  const isOfObjects = before.includes("ObjStm") || before.includes("XRef") || hidesObjects(text);
  return isOfObjects ? text.slice(text.lastIndexOf(" obj") + 1) : undefined;
}

/** Those of object streams have about a hundred bytes. */
const maxDictionaryLength = 2_048;

/** `/Obj#53tm` is another way to write the name, and its type may stand somewhere else. */
const hidesObjects = (text: string): boolean =>
  text.includes("/ObjStm") || text.includes("/XRef") || /\/Type\s{1,20}\d{1,10}\s{1,20}\d{1,5}\s{1,20}R/.test(text);

const withoutEscapes = (text: string): string =>
  text.includes("#")
    ? text.replaceAll(/#([0-9a-fA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

const countOf = (dictionary: string): number => Number(/\/N\s{0,20}(\d{1,10})/.exec(dictionary)?.[1] ?? 0);

function sizeUnpacked(bytes: Buffer, start: number, dictionary: string, maxOutputLength: number): number {
  if (!dictionary.includes("/Filter")) return 0;
  const filters = dictionary.match(/\/(?:\w+Decode|Fl|LZW|A85|AHx|RL|CCF|DCT)\b/g) ?? [];
  // Nobody packs objects in another way, and not twice; a bomb would.
  if (filters.length !== 1 || filters[0] !== "/FlateDecode") {
    throw new PdfProblem("The PDF packs its objects in an unusual way. Save it again and retry.");
  }
  const isLineEnd = (byte: number | undefined) => byte === 10 || byte === 13;
  const skipped = isLineEnd(bytes[start]) ? (isLineEnd(bytes[start + 1]) ? 2 : 1) : 0;
  try {
    return inflateSync(bytes.subarray(start + skipped), { maxOutputLength: Math.max(1, maxOutputLength) }).length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      throw new PdfProblem("The PDF is unreasonably large when unpacked.");
    }
    // Damaged; the parser stops at the same place.
    return 0;
  }
}

/** From the last cross-reference section back to the first. */
function followRevisions(bytes: Buffer): void {
  const seen = new Set<number>();
  let offset = numberAfter(bytes, bytes.lastIndexOf("startxref"), "startxref");
  while (offset !== undefined && offset < bytes.length && seen.size <= maxRevisions) {
    if (seen.has(offset)) throw new PdfProblem("The revisions of the PDF refer to each other in a circle.");
    seen.add(offset);
    offset = previousOf(bytes, offset);
  }
  if (seen.size > maxRevisions) throw new PdfProblem(`The PDF has more than ${maxRevisions} revisions.`);
}

function previousOf(bytes: Buffer, offset: number): number | undefined {
  const isTable = bytes.subarray(offset, offset + 8).includes("xref");
  const begin = isTable ? bytes.indexOf("trailer", offset) : offset;
  if (begin === -1) return undefined;
  const dictionary = bytes.subarray(begin, begin + maxDictionaryLength);
  const stop = dictionary.indexOf(isTable ? "startxref" : "stream");
  return numberAfter(dictionary, dictionary.subarray(0, stop === -1 ? undefined : stop).indexOf("/Prev"), "/Prev");
}

function numberAfter(bytes: Buffer, at: number, word: string): number | undefined {
  if (at === -1) return undefined;
  const digits = /^\s{0,20}(\d{1,10})/.exec(bytes.subarray(at + word.length, at + word.length + 40).toString("latin1"));
  return digits === null ? undefined : Number(digits[1]);
}
