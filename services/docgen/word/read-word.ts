import { decoded, FileProblem, isXml, type Parts, readPackage, textOf } from "#platform/office-package.ts";
import type { PlacedFinding } from "../templating/place-findings.ts";
import { findTags, unclosedTag, type WordTag } from "./find-tags.ts";
import { liftTags, tornTag } from "./lift-tags.ts";
import { type Element, readXml, type XmlPart } from "./read-xml.ts";
import { escapeXml } from "./word-values.ts";

/** A Word file as a template of Liquid. */
export interface WordTemplate {
  /**
   * The tags, each in the line that is the number of its paragraph, at its place in the text of that one. Between them stand
   * characters for what is between them in the file: the first chunk is `firstChunk`, the second the one after it.
   */
  readonly source: string;
  readonly chunks: readonly Chunk[];
  /** What shows a picture, by the place of its output in the source. */
  readonly frames: ReadonlyMap<number, string>;
  /** The package, without those parts that are filled. */
  readonly parts: Parts;
  /** What is wrong, by places in the source. */
  readonly findings: readonly PlacedFinding[];
}

export interface Chunk {
  readonly part: string;
  readonly xml: string;
}

/** Far from what any tag is written with: only what stands between tags is looked at, and nothing else stands there. */
export const firstChunk = 0x3400;
const maxChunks = 40_000;

const filled = /^word\/(?:document|header\d*|footer\d*|footnotes|endnotes)\.xml$/;
const mainTypes =
  /wordprocessingml\.(?:document|template)\.main\+xml|ms-word\.(?:document|template)\.macroEnabled\w*\.main\+xml/;
/** Characters of all parts that are filled. A page of text has some 20,000. */
const maxText = 16 * 1024 * 1024;

/** Reads the tags of a Word file. Throws a FileProblem for a file that is not one, or takes too much. */
export function readWord(file: Uint8Array): WordTemplate {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.length < 22 || bytes.readUInt32LE(0) !== 0x04034b50) throw notWord();
  const parts = readPackage(bytes, () => true);
  const types = parts.get("[Content_Types].xml");
  if (types === undefined || !mainTypes.test(textOf(types))) throw notWord();
  if (!isMain(textOf(parts.get("_rels/.rels") ?? Buffer.alloc(0)))) throw otherMain();
  if (!parts.has("word/document.xml")) throw notWord();
  const names = [...parts.keys()].filter((name) => isXml(name) && filled.test(name));
  const writer = createWriter();
  let [length, paragraphs] = [0, 1];
  // The document first: what is given a name there is known in headers.
  for (const name of names.sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1))) {
    const text = textOf(parts.get(name) ?? Buffer.alloc(0));
    length += text.length;
    if (length > maxText) throw new FileProblem("The file has too much text. Send a smaller one.");
    const part = readXml(name, text, paragraphs);
    if (!part.pieces.every(hasPlainPrefix)) throw otherPrefix();
    paragraphs += part.paragraphs.length;
    writePart(part, writer);
    parts.delete(name);
  }
  return { ...writer.end(), parts };
}

const rank = (name: string): number => (name === "word/document.xml" ? 0 : 1);
const notWord = () => new FileProblem("The file is not a .docx file. Save it again and retry.");

const otherMain = () =>
  new FileProblem("The text of the file is not in word/document.xml. Save it again as .docx in Word and retry.");
const otherPrefix = () =>
  new FileProblem("The file names the elements of Word with another prefix than w. Save it again in Word and retry.");

/** Whether what a package shows is the part that is filled. */
function isMain(relations: string): boolean {
  const shown = (relations.match(/<[^<>]*>/g) ?? []).filter((tag) =>
    /\sType\s*=\s*["'][^"']*\/officeDocument["']/.test(tag),
  );
  const targets = shown.map((tag) => decoded(/\sTarget\s*=\s*["']([^"']*)["']/.exec(tag)?.[1] ?? ""));
  return targets.length > 0 && targets.every((target) => /^(?:\.?\/)?word\/document\.xml$/.test(target));
}

/** Elements are known by their prefix. */
const hasPlainPrefix = (piece: string): boolean =>
  !piece.startsWith("<") ||
  !piece.includes("xmlns") ||
  Array.from(piece.matchAll(/\sxmlns(:[^\s=]+)?\s*=\s*(?:"([^"]*)"|'([^']*)')/g)).every(
    ([, prefix, one, other]) => wordSpaces.has(decoded(one ?? other ?? "")) === (prefix === ":w"),
  );

const wordSpaces: ReadonlySet<string> = new Set([
  "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
  "http://purl.oclc.org/ooxml/wordprocessingml/main",
]);

type Writer = ReturnType<typeof createWriter>;

function createWriter() {
  const [chunks, frames, findings] = [[] as Chunk[], new Map<number, string>(), [] as PlacedFinding[]];
  const source: string[] = [];
  let [length, line, lineStart] = [0, 1, 0];
  const write = (text: string): void => {
    source.push(text);
    length += text.length;
  };
  return {
    findings,
    /** Where the next one goes. */
    offset: () => length,
    chunk: (chunk: Chunk): void => {
      if (chunks.length >= maxChunks) throw new FileProblem("The file has too many tags. Send a smaller one.");
      write(String.fromCharCode(firstChunk + chunks.length));
      chunks.push(chunk);
    },
    /** The place of a tag or of what should be one. */
    goTo: (number: number, column: number): void => {
      if (number > line) {
        write("\n".repeat(number - line));
        line = number;
        lineStart = length;
      }
      if (column < 10_000) write(" ".repeat(Math.max(0, lineStart + column - length)));
    },
    tag: (text: string, frame: string | undefined): void => {
      if (frame !== undefined) frames.set(length, frame);
      write(text);
    },
    end: () => ({ source: source.join(""), chunks, frames, findings }),
  };
}

function writePart(part: XmlPart, writer: Writer): void {
  const { tags, segments, unclosed } = findTags(part);
  const { before, after, moved, left, torn } = liftTags(part.paragraphs, tags);
  const isTorn = new Set(torn);
  const lost = new Map<number, number>(unclosed.map(({ paragraph, column }) => [paragraph.number, column]));
  const frames = new Map(tags.flatMap((tag) => (tag.frame === undefined ? [] : [[tag.frame.start, tag] as const])));
  const skipped = new Map(left.map((element) => [element.start, element]));
  const numbers = new Map(part.paragraphs.map(({ element, number }) => [element.start, number]));
  let xml: string[] = [];
  const flush = (): void => {
    if (xml.length > 0) writer.chunk({ part: part.name, xml: xml.join("") });
    xml = [];
  };
  const write = (tag: WordTag): void => {
    flush();
    const { frame, paragraph, column } = tag;
    writer.goTo(paragraph.number, column);
    if (isTorn.has(tag)) writer.findings.push(tornTag(tag, writer.offset()));
    writer.tag(tag.text, frame && part.pieces.slice(frame.start, frame.end + 1).join(""));
  };
  const writePiece = (at: number): number => {
    const number = numbers.get(at);
    const column = number === undefined ? undefined : lost.get(number);
    if (number !== undefined && column !== undefined) {
      flush();
      writer.goTo(number, column);
      writer.findings.push(unclosedTag(writer.offset()));
    }
    for (const tag of before.get(at) ?? []) write(tag);
    const whole: Element | undefined = skipped.get(at);
    const picture = frames.get(at);
    if (picture !== undefined) write(picture);
    else if (whole === undefined) {
      const changed = segments.get(at);
      if (changed === undefined) xml.push(keepsBlanks(part.pieces[at] ?? "", segments.has(at + 1)));
      for (const segment of changed ?? []) {
        if (typeof segment === "string") xml.push(escapeXml(segment));
        else if (!moved.has(segment)) write(segment);
      }
    }
    const end = whole?.end ?? picture?.frame?.end ?? at;
    for (const tag of after.get(end) ?? []) write(tag);
    return end + 1;
  };
  for (let at = 0; at < part.pieces.length; ) at = writePiece(at);
  flush();
}

/** Values may begin and end with blanks. */
const keepsBlanks = (piece: string, isFilled: boolean): string =>
  isFilled && /^<w:t[\s>]/.test(piece) ? '<w:t xml:space="preserve">' : piece;
