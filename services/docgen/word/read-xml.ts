import { decodedText, FileProblem } from "#platform/office-package.ts";

/** An element of a part. Its pieces are those from `start` to `end`, both included. */
export interface Element {
  readonly name: string;
  readonly parent: Element | undefined;
  readonly start: number;
  end: number;
}

/** Text of a paragraph, or what stands in it in place of a blank. */
export interface Run {
  /** The number of its piece; undefined for a tab or the end of a line, whose text is a blank. */
  readonly piece: number | undefined;
  readonly text: string;
  readonly element: Element;
}

export interface Paragraph {
  readonly element: Element;
  /** From 1, in the order in which paragraphs begin, through all parts. */
  readonly number: number;
  readonly runs: Run[];
  /** Whether it has, or may have, more than text: a picture, a symbol, the end of a section. Then it is not left out. */
  hasMore: boolean;
}

/** A part as tags and the texts between them, which together are the part again. */
export interface XmlPart {
  readonly name: string;
  readonly pieces: string[];
  readonly paragraphs: Paragraph[];
  readonly drawings: Element[];
}

/** What text is: a tag, or what stands between two of them. Comments and declarations are gone already. */
const piece = /<[^<>"']*(?:(?:"[^"]*"|'[^']*')[^<>"']*){0,500}>|[^<]+/y;
const maxTag = 1024 * 1024;
const maxDepth = 400;
const blanks: ReadonlySet<string> = new Set(["w:tab", "w:br", "w:cr"]);
/** What shows nothing by itself, whatever is in it. */
const properties: ReadonlySet<string> = new Set(["w:pPr", "w:rPr", "w:sdtPr", "w:sdtEndPr", "w:smartTagPr"]);
/** What a paragraph may have beside its text and still be left out. */
const plain =
  /^w:(?:p|r|t|tab|cr|lastRenderedPageBreak|proofErr|ins|del|delText|moveTo|moveFrom|hyperlink|smartTag|sdt|sdtContent|dir|bdo|commentReference|(?:bookmark|perm|(?:comment|moveTo|moveFrom)Range)(?:Start|End))$/;

/** Reads a part of a Word file. Throws a FileProblem for what is not well formed. Linear. */
export function readXml(name: string, text: string, firstNumber: number): XmlPart {
  const part: XmlPart = { name, pieces: [], paragraphs: [], drawings: [] };
  const open: Paragraph[] = [];
  let inner: Element | undefined;
  let within: Element | undefined;
  let depth = 0;
  const begin = (element: Element): void => {
    const { name: tag } = element;
    if (tag === "w:p") {
      const paragraph = { element, number: firstNumber + part.paragraphs.length, runs: [], hasMore: false };
      part.paragraphs.push(paragraph);
      for (const around of open) around.hasMore = true;
      open.push(paragraph);
    } else if (tag === "w:drawing") part.drawings.push(element);
    const paragraph = open.at(-1);
    if (paragraph === undefined) return;
    if (properties.has(tag)) within ??= element;
    if (tag === "w:sectPr" || (within === undefined && !plain.test(tag))) paragraph.hasMore = true;
    if (blanks.has(tag)) paragraph.runs.push({ piece: undefined, text: " ", element });
  };
  const finish = (element: Element, end: number): void => {
    element.end = end;
    if (element === within) within = undefined;
    if (element.name === "w:p") open.pop();
  };
  piece.lastIndex = 0;
  for (let match = piece.exec(text); match !== null; match = piece.exec(text)) {
    const [raw] = match;
    if (raw.length > maxTag && raw.startsWith("<")) throw broken();
    const at = part.pieces.push(raw) - 1;
    if (!raw.startsWith("<")) {
      if (inner?.name === "w:t") open.at(-1)?.runs.push({ piece: at, text: decodedText(raw), element: inner });
    } else if (raw.startsWith("</")) {
      if (inner === undefined || inner.name !== raw.slice(2, -1).trim()) throw broken();
      finish(inner, at);
      inner = inner.parent;
      depth -= 1;
    } else if (!raw.startsWith("<?")) {
      const element = { name: nameOf(raw), parent: inner, start: at, end: at };
      begin(element);
      if (raw.endsWith("/>")) finish(element, at);
      else inner = element;
      if (inner === element) depth += 1;
      if (depth > maxDepth) throw broken();
    }
    if (piece.lastIndex === text.length) return inner === undefined ? part : refuse();
  }
  return refuse();
}

const refuse = (): never => {
  throw broken();
};
const broken = () => new FileProblem("The file is damaged. Save it again and retry.");

const nameOf = (tag: string): string => /^<([^\s/>]+)/.exec(tag)?.[1] ?? "";

/** The nearest element of this name around a place, itself included. */
export function nearest(element: Element | undefined, name: string): Element | undefined {
  let around = element;
  while (around !== undefined && around.name !== name) around = around.parent;
  return around;
}
