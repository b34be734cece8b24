import type { PlacedFinding } from "../templating/place-findings.ts";
import type { WordTag } from "./find-tags.ts";
import { type Element, nearest, type Paragraph } from "./read-xml.ts";

/** Where tags stand that hold more than a bit of text. */
export interface Lifted {
  /** Tags before and after elements, by the numbers of the pieces where these begin and end. */
  readonly before: Map<number, WordTag[]>;
  readonly after: Map<number, WordTag[]>;
  /** Tags that stand there and no more in their text. */
  readonly moved: ReadonlySet<WordTag>;
  /** Paragraphs and rows of tables that had nothing but tags. */
  readonly left: readonly Element[];
  /** Tags that do not stand in the same element as those they belong to. */
  readonly torn: readonly WordTag[];
}

interface Block {
  readonly tags: WordTag[];
  readonly jumps: WordTag[];
  readonly isLoop: boolean;
}

/**
 * Moves tags to where their authors mean them: around a row when they begin and end in different cells of it, in place of
 * a row or a paragraph that has nothing else. What a tag repeats or leaves out is then a whole number of elements, or text
 * within one paragraph or several ones side by side, so that every rendering is well formed.
 */
export function liftTags(paragraphs: readonly Paragraph[], tags: readonly WordTag[]): Lifted {
  const blocks = blocksOf(tags);
  const rows = rowsOf(blocks);
  const alone = aloneIn(paragraphs, tags, rows);
  const lifted = { before: new Map<number, WordTag[]>(), after: new Map<number, WordTag[]>() };
  const moved = new Set<WordTag>();
  const left = new Set<Element>();
  const places = new Map<WordTag, Place>();
  for (const tag of tags) {
    const row = rows.get(tag);
    const whole = row ?? alone(tag);
    if (whole === undefined) {
      places.set(tag, inText(tag));
      continue;
    }
    const isLast = row !== undefined && tag.name?.startsWith("end");
    add(isLast ? lifted.after : lifted.before, isLast ? whole.end : whole.start, tag);
    moved.add(tag);
    if (row === undefined) left.add(whole);
    places.set(tag, { within: whole.parent, inside: "" });
  }
  return { ...lifted, moved, left: [...left], torn: blocks.flatMap((block) => tornOf(block, places)) };
}

const add = (map: Map<number, WordTag[]>, key: number, tag: WordTag): void => {
  const tags = map.get(key);
  if (tags === undefined) map.set(key, [tag]);
  else tags.push(tag);
};

/** Blocks with their tags, from the first to the last; those that are not closed are for others to find. */
function blocksOf(tags: readonly WordTag[]): Block[] {
  const blocks: Block[] = [];
  const open: Block[] = [];
  const loops: Block[] = [];
  for (const tag of tags) {
    const { name } = tag;
    if (name === undefined) continue;
    if (["if", "unless", "case", "for", "comment"].includes(name)) {
      const block = { tags: [tag], jumps: [], isLoop: name === "for" };
      blocks.push(block);
      open.push(block);
      if (block.isLoop) loops.push(block);
    } else if (["elsif", "else", "when"].includes(name)) open.at(-1)?.tags.push(tag);
    else if (name.startsWith("end")) {
      const block = open.pop();
      block?.tags.push(tag);
      if (block?.isLoop) loops.pop();
    } else if (name === "break" || name === "continue") loops.at(-1)?.jumps.push(tag);
  }
  return blocks;
}

/** The rows that are meant by tags in different cells of them. */
function rowsOf(blocks: readonly Block[]): Map<WordTag, Element> {
  const rows = new Map<WordTag, Element>();
  for (const { tags } of blocks) {
    const [first, last] = [tags[0], tags.at(-1)];
    if (first === undefined || last === undefined) continue;
    const row = nearest(first.element, "w:tr");
    const isAcross = nearest(first.element, "w:tc") !== nearest(last.element, "w:tc");
    if (tags.length !== 2 || row === undefined || !isAcross || nearest(last.element, "w:tr") !== row) continue;
    rows.set(first, row);
    rows.set(last, row);
  }
  return rows;
}

/** The row or the paragraph of a tag, when it has nothing but tags that are not about a row. */
function aloneIn(paragraphs: readonly Paragraph[], tags: readonly WordTag[], rows: ReadonlyMap<WordTag, Element>) {
  const lengths = new Map(paragraphs.map((paragraph) => [paragraph, textLength(paragraph)]));
  for (const tag of tags) {
    if (tag.name === undefined || rows.has(tag)) continue;
    lengths.set(tag.paragraph, (lengths.get(tag.paragraph) ?? 0) - tag.text.replaceAll(/\s/g, "").length);
  }
  const isAlone = (paragraph: Paragraph) => lengths.get(paragraph) === 0 && !paragraph.hasMore;
  const busy = new Set<Element | undefined>();
  for (const paragraph of paragraphs) {
    const row = nearest(paragraph.element, "w:tr");
    if (!isAlone(paragraph)) busy.add(row);
    // Rows with a table in one of their cells have more than tags.
    let outer = nearest(row?.parent, "w:tr");
    for (; outer !== undefined && !busy.has(outer); outer = nearest(outer.parent, "w:tr")) busy.add(outer);
  }
  return ({ paragraph, name }: WordTag): Element | undefined => {
    if (name === undefined || !isAlone(paragraph)) return undefined;
    const row = nearest(paragraph.element, "w:tr");
    return row === undefined || busy.has(row) ? paragraph.element : row;
  };
}

const textLength = ({ runs }: Paragraph): number =>
  runs.reduce((sum, { text }) => sum + text.replaceAll(/\s/g, "").length, 0);

/** What a tag stands in: an element, and the names of those within it around the tag. */
interface Place {
  readonly within: Element | undefined;
  readonly inside: string;
}

function inText({ element, paragraph }: WordTag): Place {
  const names: string[] = [];
  let around: Element | undefined = element;
  while (around !== undefined && around !== paragraph.element.parent) {
    names.push(around.name);
    around = around.parent;
  }
  return { within: paragraph.element.parent, inside: names.join(" ") };
}

const tornOf = ({ tags: [first, ...others], jumps }: Block, places: ReadonlyMap<WordTag, Place>): WordTag[] => {
  const place = first && places.get(first);
  return [...others, ...jumps].filter((tag) => {
    const other = places.get(tag);
    return other?.within !== place?.within || other?.inside !== place?.inside;
  });
};

export const tornTag = ({ text }: WordTag, offset: number): PlacedFinding => ({
  code: "misplaced_tag",
  message: `The tag ${text.slice(0, 40).toWellFormed()} stands in another part of the page than the tag it belongs to. Put both into paragraphs of their own, into one paragraph, or into the first and the last cell of one row.`,
  offset,
});
