import { decoded } from "#platform/office-package.ts";
import type { PlacedFinding } from "../templating/place-findings.ts";
import { type Element, nearest, type Paragraph, type Run, type XmlPart } from "./read-xml.ts";

/** A tag or an output of Liquid in the text of a Word file. */
export interface WordTag {
  /** As Liquid reads it: with straight quotation marks. */
  readonly text: string;
  /** The name of a tag; undefined for an output. */
  readonly name: string | undefined;
  readonly paragraph: Paragraph;
  /** Where it begins in the text of its paragraph. */
  readonly column: number;
  /** Where it stands in its part. */
  readonly piece: number;
  readonly element: Element;
  /** For a picture: what of the part shows it. */
  readonly frame?: Element;
}

/** What of a piece of text is left beside the tags, with the tags that begin in it. */
export type Segment = string | WordTag;

export interface FoundTags {
  /** In the order of the part. */
  readonly tags: WordTag[];
  /** By the numbers of those pieces that change. */
  readonly segments: Map<number, Segment[]>;
  /** With their paragraphs and columns in place of offsets. */
  readonly unclosed: readonly { readonly paragraph: Paragraph; readonly column: number }[];
}

/** Finds the tags of a part, however Word has split them into runs. Linear in its text. */
export function findTags(part: XmlPart): FoundTags {
  const found = { tags: [] as WordTag[], segments: new Map<number, Segment[]>(), unclosed: [] as Place[] };
  for (const paragraph of part.paragraphs) findIn(paragraph, found);
  const paragraphs = new Map(part.paragraphs.map((paragraph) => [paragraph.element, paragraph]));
  for (const drawing of part.drawings) {
    const around = nearest(drawing, "w:p");
    const tag = pictureTag(part, drawing, around && paragraphs.get(around));
    if (tag === undefined) continue;
    if (tag.text.includes("}}")) found.tags.push(tag);
    else found.unclosed.push(tag);
  }
  found.tags.sort((one, other) => one.piece - other.piece || one.column - other.column);
  return found;
}

type Place = FoundTags["unclosed"][number];

function findIn(paragraph: Paragraph, { tags, segments, unclosed }: FoundTags & { unclosed: Place[] }): void {
  const { runs } = paragraph;
  const text = runs.map((run) => run.text).join("");
  const ranges = rangesOf(text, (column) => unclosed.push({ paragraph, column }));
  if (ranges.length === 0) return;
  let [next, begin] = [0, 0];
  let hanging = 0;
  for (const run of runs) {
    const end = begin + run.text.length;
    const parts: Segment[] = [];
    let at = Math.max(begin, hanging);
    for (let range = ranges[next]; range !== undefined && range.start < end; range = ranges[next]) {
      if (run.piece === undefined) break;
      const tag = tagOf(text.slice(range.start, range.end), { paragraph, column: range.start, run });
      tags.push(tag);
      parts.push(text.slice(at, range.start), tag);
      hanging = range.end;
      at = Math.min(end, range.end);
      next += 1;
    }
    const isChanged = parts.length > 0 || hanging > begin;
    if (run.piece !== undefined && isChanged) segments.set(run.piece, [...parts, text.slice(Math.min(at, end), end)]);
    begin = end;
  }
}

/** Where tags and outputs are in a text; tells of those that are not closed. */
function rangesOf(text: string, onUnclosed: (column: number) => void): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  const opening = /\{[{%]/g;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const closing = match[0] === "{{" ? "}}" : "%}";
    const end = text.indexOf(closing, match.index + 2);
    if (end === -1) {
      onUnclosed(match.index);
      break;
    }
    ranges.push({ start: match.index, end: end + 2 });
    opening.lastIndex = end + 2;
  }
  return ranges;
}

interface Standing {
  readonly paragraph: Paragraph;
  readonly column: number;
  readonly run: Run;
}

function tagOf(raw: string, { paragraph, column, run }: Standing): WordTag {
  const text = plain(raw);
  return { text, name: nameOf(text), paragraph, column, piece: run.piece ?? 0, element: run.element };
}

/** Word makes typographic quotation marks of those that are typed, and protects blanks. */
const plain = (text: string): string =>
  text
    .replaceAll(/[\u2018\u2019\u201a\u201b]/g, "'")
    .replaceAll(/[\u201c-\u201f]/g, '"')
    .replaceAll(/[\u00a0\u202f]/g, " ");

const nameOf = (text: string): string | undefined => {
  const inner = /^\{%-?\s*(#|\w*)/.exec(text);
  return inner === null ? undefined : (inner[1] ?? "");
};

/** The picture that stands in place of another one: its alternative text is an output and nothing else. */
function pictureTag({ pieces }: XmlPart, frame: Element, paragraph: Paragraph | undefined): WordTag | undefined {
  const inside = pieces.slice(frame.start, frame.end + 1);
  if (paragraph === undefined || inside.some((piece) => /^<w:p[\s/>]/.test(piece))) return undefined;
  const described = inside.find((piece) => /^<wp:docPr\s/.test(piece)) ?? "";
  const text = plain(decoded(/\sdescr="([^"]*)"/.exec(described)?.[1] ?? ""));
  const isShown = inside.some((piece) => /^<a:blip\s[^>]*r:embed="/.test(piece));
  if (!isShown || !/^\{\{(?:[^{}]*\}\}|(?!.*\}\}).*)$/s.test(text)) return undefined;
  return { text, name: undefined, paragraph, column: 0, piece: frame.start, element: frame, frame };
}

export const unclosedTag = (offset: number): PlacedFinding => ({
  code: "syntax_error",
  message: "A tag has to be closed in the paragraph or the alternative text where it is opened: {{ … }} and {% … %}.",
  offset,
});
