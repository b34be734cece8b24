/** A paragraph, heading, entry of a list or cell, as a person reads it. */
export interface Block {
  /** The name of its element, such as "p", "h2" or "li", with the depth of entries of inner lists; empty for lines of plain text. */
  readonly kind: string;
  readonly text: string;
}

type Format = "html" | "markdown" | "text";

/** What of a text is compared at once: its blocks when it is HTML, otherwise its lines. */
export const blocksOf = (content: string, format: Format): Block[] =>
  format === "html" ? blocksOfHtml(content) : linesOf(content);

export const linesOf = (content: string): Block[] =>
  content
    .split("\n")
    .map((line) => ({ kind: "", text: line.trimEnd() }))
    .filter(({ text }) => text !== "");

const ends = new Set(
  `address article aside blockquote br caption dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main
  ol p pre section table tbody td tfoot th thead tr ul`.split(/\s+/),
);

/**
 * Read without a parser of HTML: the pages must not have one that could make markup of a text, and the verifier brings
 * none. Of HTML that `parseRestrictedHtml` accepts the blocks are what a browser shows. Takes linear time for any input.
 */
function blocksOfHtml(html: string): Block[] {
  const blocks: Block[] = [];
  const lastEnd = html.lastIndexOf(">");
  let kind = "p";
  let text = "";
  /** In how many lists it is. */
  let depth = 0;
  const finish = (next: string) => {
    const words = text.replaceAll(/\s+/g, " ").trim();
    if (words !== "") blocks.push({ kind, text: words });
    [kind, text] = [next, ""];
  };
  for (let at = 0; at < html.length; ) {
    const tag = html[at] === "<" && at < lastEnd ? tagAt(html, at) : undefined;
    if (tag === undefined) {
      const next = html.indexOf("<", at + 1);
      const end = next === -1 ? html.length : next;
      text += decoded(html.slice(at, end));
      at = end;
    } else {
      if (tag.name === "ul" || tag.name === "ol") depth = Math.max(0, depth + (tag.isEnd ? -1 : 1));
      if (ends.has(tag.name)) finish(nextKind(tag, kind, depth));
      else text += shownOf(tag);
      at = tag.end;
    }
  }
  finish("p");
  return blocks;
}

/** Deeper ones are shown like these. */
const deepest = 4;

/** The end of a line goes on with what it is in. Entries of lists in lists are li2 and so on. */
function nextKind({ name, isEnd }: Tag, kind: string, depth: number): string {
  if (name === "br") return kind;
  if (isEnd) return "p";
  return name === "li" && depth > 1 ? `li${Math.min(depth, deepest)}` : name;
}

interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  readonly source: string;
  /** Where the text goes on. */
  readonly end: number;
}

const tagStart = /<(\/?)([a-z][a-z0-9]{0,15})(?=[\s/>])/iy;

/** Undefined when it is only a "<". */
function tagAt(html: string, start: number): Tag | undefined {
  if (html.startsWith("!--", start + 1)) {
    const close = html.indexOf("-->", start);
    return { name: "", isEnd: false, source: "", end: close === -1 ? html.length : close + 3 };
  }
  tagStart.lastIndex = start;
  const [opening, slash, name = ""] = tagStart.exec(html) ?? [];
  if (opening === undefined) return undefined;
  const end = endOfTag(html, start + opening.length);
  return { name: name.toLowerCase(), isEnd: slash === "/", source: html.slice(start, end), end };
}

/** A ">" within quotation marks does not end a tag. */
function endOfTag(html: string, start: number): number {
  let quote = "";
  for (let at = start; at < html.length; at += 1) {
    const character = html[at] as string;
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === ">") return at + 1;
    else if (character === '"' || character === "'") quote = character;
  }
  return html.length;
}

/**
 * Where a link leads belongs to what is agreed to, although nobody sees it, and the words of a picture are read where
 * it cannot be seen.
 */
function shownOf({ name, isEnd, source }: Tag): string {
  if (isEnd || (name !== "a" && name !== "img")) return "";
  const value = attributeOf(source, name === "a" ? "href" : "alt");
  return value === undefined || value === "" ? "" : `[${decoded(value)}] `;
}

function attributeOf(source: string, wanted: string): string | undefined {
  for (const [, name = "", double, single, bare] of source.matchAll(attributes)) {
    if (name.toLowerCase() === wanted) return double ?? single ?? bare ?? "";
  }
  return undefined;
}

const attributes = /\s([a-z]{1,20})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

/** U+00A0 to U+00FF, in their order. */
const latin =
  `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro
  para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil
  Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave
  Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml
  igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute
  thorn yuml`.split(/\s+/);

const entities: ReadonlyMap<string, string> = new Map([
  ...latin.map((name, index): [string, string] => [name, String.fromCharCode(0xa0 + index)]),
  ...`amp& lt< gt> quot" apos' ndash– mdash— lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ lsaquo‹ rsaquo› dagger† Dagger‡
  bull• hellip… permil‰ prime′ Prime″ euro€ trade™ larr← uarr↑ rarr→ darr↓ harr↔ minus− ne≠ le≤ ge≥ asymp≈ infin∞ OEligŒ oeligœ ScaronŠ scaronš YumlŸ`
    .split(/\s+/)
    .map((pair): [string, string] => [pair.slice(0, -1), pair.slice(-1)]),
]);

/** The entities of HTML 4 that texts have; others stay as they are written. */
const decoded = (text: string): string =>
  text.includes("&") ? text.replaceAll(/&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,6}\d{0,2});/gi, decodedOne) : text;

function decodedOne(whole: string, name: string): string {
  if (!name.startsWith("#")) return entities.get(name) ?? whole;
  const isHex = name.charAt(1).toLowerCase() === "x";
  const code = Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}
