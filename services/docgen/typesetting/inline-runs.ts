import type { HtmlElement, HtmlNode } from "#platform/restricted-html/tree.ts";
import type { Marks, Run } from "./blocks.ts";
import { attributeOf, marksOf, readStyle } from "./element-style.ts";
import { readPicture } from "./images.ts";
import type { Place, TreeState } from "./tree-state.ts";

/** The runs of a paragraph's nodes. White space is collapsed as browsers do. */
export const readRuns = (nodes: readonly HtmlNode[], place: Place, state: TreeState): Run[] =>
  groupLinks(limitMarks(collapse(piecesOf(nodes, place, state)), state).flatMap((piece) => runsOf(piece, state)));

/** As readRuns, with every blank and line end kept. */
export const readPreformattedRuns = (nodes: readonly HtmlNode[], place: Place, state: TreeState): Run[] =>
  groupLinks(limitMarks(keepLines(piecesOf(nodes, place, state)), state).flatMap((piece) => runsOf(piece, state)));

/** What browsers would show of the runs if they had neither pictures nor fonts. */
export const textOf = (runs: readonly Run[]): string =>
  runs
    .map((run) => {
      if (run.kind === "text") return run.text;
      if (run.kind === "link") return textOf(run.runs);
      return run.kind === "symbol" ? run.symbol : " ";
    })
    .join("");

/** A part of a paragraph with the address that it leads to. */
type Piece = { readonly link: string | undefined } & (
  | { readonly kind: "text"; readonly text: string; readonly marks: Marks }
  | { readonly kind: "run"; readonly run: Run }
);

function piecesOf(nodes: readonly HtmlNode[], place: Place, state: TreeState): Piece[] {
  const { link, marks } = place;
  return nodes.flatMap((node): Piece[] => {
    if (node.kind === "text") return [{ kind: "text", text: node.text, link, marks }];
    if (node.name === "br") return [{ kind: "run", run: { kind: "break" }, link }];
    if (node.name === "img") return [{ kind: "run", run: { kind: "image", image: readPicture(node, state) }, link }];
    return piecesOf(node.children, placeInside(node, place), state);
  });
}

/** The place inside of an element of a line. */
export function placeInside(element: HtmlElement, place: Place): Place {
  const own = Object.hasOwn(marksOfElements, element.name) ? marksOfElements[element.name] : undefined;
  const marks = { ...place.marks, ...own, ...marksOf(readStyle(element)) };
  return { ...place, marks, link: element.name === "a" && place.canLink ? linkOf(element) : place.link };
}

const marksOfElements: Readonly<Record<string, Marks>> = {
  strong: { strong: true },
  b: { strong: true },
  em: { em: true },
  i: { em: true },
  u: { underline: true },
  s: { strike: true },
  sub: { shift: "sub" },
  sup: { shift: "super" },
  code: { code: true },
};

/** PDF has no room for longer addresses. */
const maxAddressBytes = 2000;

/** Addresses inside of the document lead nowhere: it has no ids. */
function linkOf(element: HtmlElement): string | undefined {
  const address = attributeOf(element, "href") ?? "";
  const isUsable = !address.startsWith("#") && address !== "" && Buffer.byteLength(address) <= maxAddressBytes;
  return isUsable ? address : undefined;
}

const blanks = /[\t\n\f\r ]+/g;

function collapse(pieces: readonly Piece[]): Piece[] {
  const kept: Piece[] = [];
  let isAfterBlank = true;
  for (const piece of pieces) {
    if (piece.kind === "run") {
      if (piece.run.kind === "break") trimEnd(kept);
      isAfterBlank = piece.run.kind === "break";
      kept.push(piece);
      continue;
    }
    const collapsed = piece.text.replaceAll(blanks, " ");
    const text = isAfterBlank && collapsed.startsWith(" ") ? collapsed.slice(1) : collapsed;
    if (text === "") continue;
    isAfterBlank = text.endsWith(" ");
    kept.push({ ...piece, text });
  }
  trimEnd(kept);
  return withoutLastBreak(kept);
}

/** There is at most one blank at the end, and it may be all that its piece has. */
function trimEnd(pieces: Piece[]): void {
  const last = pieces.at(-1);
  if (last?.kind !== "text" || !last.text.endsWith(" ")) return;
  pieces.pop();
  if (last.text.length > 1) pieces.push({ ...last, text: last.text.slice(0, -1) });
}

/** A break ends its line; it does not begin another one. */
function withoutLastBreak(pieces: Piece[]): Piece[] {
  const last = pieces.at(-1);
  return pieces.length > 1 && last?.kind === "run" && last.run.kind === "break" ? pieces.slice(0, -1) : pieces;
}

const tab = "    ";

function keepLines(pieces: readonly Piece[]): Piece[] {
  const lines = pieces.flatMap((piece): Piece[] => {
    if (piece.kind === "run") return [piece];
    const [first = "", ...rest] = piece.text.replaceAll("\t", tab).split(/\r\n?|\n/);
    const next = (text: string): Piece[] => [
      { kind: "run", run: { kind: "break" }, link: piece.link },
      { ...piece, text },
    ];
    return [{ ...piece, text: first }, ...rest.flatMap(next)];
  });
  return withoutLastBreak(lines.filter((piece) => piece.kind === "run" || piece.text !== ""));
}

/** Shaping takes time by the square of the marks on one letter. No script has more than a few. */
const maxMarks = 32;
const mark = /[\p{M}\u200c\u200d]/u;
const manyMarks = new RegExp(`${mark.source}{${maxMarks},}`, "u");

/** Leaves out what is beyond the first marks of a letter, also where these stand in elements of their own. */
function limitMarks(pieces: readonly Piece[], { warnings }: TreeState): readonly Piece[] {
  let line = "";
  for (const piece of pieces) line += piece.kind === "text" ? piece.text : " ";
  if (!manyMarks.test(line)) return pieces;
  let count = 0;
  return pieces.map((piece) => {
    if (piece.kind === "run") {
      count = 0;
      return piece;
    }
    let text = "";
    for (const character of piece.text) {
      count = mark.test(character) ? count + 1 : 0;
      if (count <= maxMarks) text += character;
      else if (!warnings.includes(tooManyMarks)) warnings.push(tooManyMarks);
    }
    return { ...piece, text };
  });
}

const tooManyMarks = {
  code: "too_many_marks",
  message: `A letter has more than ${maxMarks} marks; only the first ones are shown.`,
};

function runsOf(piece: Piece, { glyphs }: TreeState): LinkedRun[] {
  const { link } = piece;
  if (piece.kind === "run") return [{ link, run: piece.run }];
  const { marks } = piece;
  return glyphs.drawable(piece.text).map((part) => ({ link, run: { ...part, marks } }));
}

interface LinkedRun {
  readonly link: string | undefined;
  readonly run: Run;
}

/** Neighbours that lead to the same address are one link. */
function groupLinks(runs: readonly LinkedRun[]): Run[] {
  const groups: { readonly link: string | undefined; readonly runs: Run[] }[] = [];
  for (const { link, run } of runs) {
    const last = groups.at(-1);
    if (last !== undefined && last.link === link) last.runs.push(run);
    else groups.push({ link, runs: [run] });
  }
  return groups.flatMap(({ link, runs: same }, index) => {
    const shown = groups[index - 1]?.link === undefined ? same : withoutHyphenAtStart(same);
    return link === undefined ? shown : linkAround(link, shown);
  });
}

function linkAround(url: string, runs: readonly Run[]): Run[] {
  const shown = withoutHyphenAtEnd(runs);
  return shown.length === 0 ? [] : [{ kind: "link", url, runs: shown }];
}

// The writer of tagged PDFs breaks down when a word is divided right where a link ends
// (https://github.com/typst/typst/issues/8608). So a link has no soft hyphen at its end, and what follows it without a
// blank is not divided.

function withoutHyphenAtEnd(runs: readonly Run[]): readonly Run[] {
  const last = runs.at(-1);
  if (last?.kind !== "text") return runs;
  const text = last.text.replace(/[\u00ad\u200b]+$/, "");
  if (text === last.text) return runs;
  const before = runs.slice(0, -1);
  return text === "" ? withoutHyphenAtEnd(before) : [...before, { ...last, text }];
}

function withoutHyphenAtStart(runs: readonly Run[]): Run[] {
  const [first, ...others] = runs;
  if (first?.kind !== "text") return [...runs];
  const [word = ""] = /^\S*/.exec(first.text) ?? [];
  if (word === "") return [...runs];
  const rest = first.text.slice(word.length);
  const whole: Run = { ...first, text: word.replaceAll("\u00ad", ""), marks: { ...first.marks, whole: true } };
  return [whole, ...(rest === "" ? withoutHyphenAtStart(others) : [{ ...first, text: rest }, ...others])];
}
