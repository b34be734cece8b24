/** A paragraph, heading, entry of a list or cell, as a person reads it. */
export interface Block {
  /** The name of its element, such as "p" or "h2"; empty for lines of plain text. */
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
 * Read without the browser's parser, which would need an exception from the rules that keep markup out of this page.
 * Nothing of the text becomes markup here either: its blocks are shown as text.
 */
function blocksOfHtml(html: string): Block[] {
  const blocks: Block[] = [];
  let kind = "p";
  let text = "";
  const finish = (next: string) => {
    const words = decoded(text).replaceAll(/\s+/g, " ").trim();
    if (words !== "") blocks.push({ kind, text: words });
    [kind, text] = [next, ""];
  };
  for (let at = 0; at < html.length; ) {
    const tag = html[at] === "<" ? tagAt(html, at) : undefined;
    if (tag === undefined) {
      const next = html.indexOf("<", at + 1);
      text += html.slice(at, next === -1 ? html.length : next);
      at = next === -1 ? html.length : next;
    } else {
      if (ends.has(tag.name)) finish(nextKind(tag, kind));
      else text += shownOf(tag);
      at = tag.end;
    }
  }
  finish("p");
  return blocks;
}

/** The end of a line goes on with what it is in. */
function nextKind({ name, isEnd }: Tag, kind: string): string {
  if (name === "br") return kind;
  return isEnd ? "p" : name;
}

interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  readonly source: string;
  /** Where the text goes on. */
  readonly end: number;
}

/** Undefined when it is only a "<". */
function tagAt(html: string, start: number): Tag | undefined {
  if (html.startsWith("<!--", start)) {
    const close = html.indexOf("-->", start);
    return { name: "", isEnd: false, source: "", end: close === -1 ? html.length : close + 3 };
  }
  const close = html.indexOf(">", start);
  if (close === -1) return undefined;
  const source = html.slice(start + 1, close);
  const isEnd = source.startsWith("/");
  const name = (isEnd ? source.slice(1) : source).split(/[\s/]/, 1)[0]?.toLowerCase() ?? "";
  return /^[a-z][a-z0-9]{0,15}$/.test(name) ? { name, isEnd, source, end: close + 1 } : undefined;
}

/** Where a link leads belongs to what is agreed to, although nobody sees it. */
function shownOf({ name, isEnd, source }: Tag): string {
  if (name !== "a" || isEnd) return "";
  const start = source.indexOf('href="');
  if (start === -1) return "";
  const address = source.slice(start + 6);
  const end = address.indexOf('"');
  return end === -1 ? "" : `[${address.slice(0, end)}] `;
}

const entities = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", "\u00a0"],
  ["ndash", "–"],
  ["mdash", "—"],
  ["hellip", "…"],
  ["copy", "©"],
  ["reg", "®"],
  ["sect", "§"],
  ["euro", "€"],
]);

/** The entities that texts have; others stay as they are written. */
const decoded = (text: string): string =>
  text.replaceAll(/&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,6});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return entities.get(name.toLowerCase()) ?? whole;
    const isHex = name.charAt(1).toLowerCase() === "x";
    const code = Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
