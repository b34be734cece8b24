import type { DefaultTreeAdapterTypes } from "parse5";
import { escapeHtml } from "#platform/restricted-html/serialize.ts";

/** The formatting of a piece of text. */
export interface TextFormat {
  /** Enclosing elements, outermost first. */
  readonly tags: readonly string[];
  readonly href?: string;
}

export const noFormat: TextFormat = { tags: [] };

/** Collects the text of one paragraph. */
export interface InlineText {
  text(text: string, format: TextFormat): void;
  lineBreak(): void;
  /** Returns the paragraph's HTML, empty when nothing is visible, and starts a new one. */
  take(): string;
}

export function createInlineText(): InlineText {
  let pieces: Piece[] = [];
  const endsWithBlank = (): boolean => {
    const last = pieces.at(-1);
    return last === undefined || last.text === "" || last.text.endsWith(" ");
  };
  return {
    text: (text, format) => {
      const collapsed = text.replaceAll(/[ \t\n\r\f]+/g, " ");
      const added = endsWithBlank() ? collapsed.replace(/^ /, "") : collapsed;
      const last = pieces.at(-1);
      if (added === "") return;
      if (last !== undefined && last.text !== "" && isSame(last.format, format)) last.text += added;
      else pieces.push({ text: added, format });
    },
    lineBreak: () => void pieces.push({ text: "", format: noFormat }),
    take: () => {
      const taken = withoutEnd(pieces);
      pieces = [];
      return taken.map(pieceHtml).join("");
    },
  };
}

/** An empty text stands for a line break. */
interface Piece {
  text: string;
  readonly format: TextFormat;
}

const isSame = (a: TextFormat, b: TextFormat): boolean => a.href === b.href && a.tags.join() === b.tags.join();

/** Drops trailing spaces and line breaks and leading line breaks, which are not visible. */
function withoutEnd(pieces: readonly Piece[]): Piece[] {
  const begin = pieces.findIndex(({ text }) => text !== "");
  const kept = begin === -1 ? [] : pieces.slice(begin);
  for (let last = kept.at(-1); last !== undefined; last = kept.at(-1)) {
    last.text = last.text.replace(/ $/, "");
    if (last.text !== "") break;
    kept.pop();
  }
  return kept;
}

function pieceHtml({ text, format: { tags, href } }: Piece): string {
  if (text === "") return "<br>";
  const html = tags.reduceRight((inner, tag) => `<${tag}>${inner}</${tag}>`, escapeHtml(text));
  return href === undefined ? html : `<a href="${escapeHtml(href)}">${html}</a>`;
}

/** The formatting inside an element. */
export function formatIn(element: DefaultTreeAdapterTypes.Element, format: TextFormat): TextFormat {
  const { tagName } = element;
  if (tagName === "a") {
    const href = element.attrs.find(({ name }) => name === "href")?.value.trim() ?? "";
    return isAllowedAddress(href) ? { ...format, href } : format;
  }
  const tag = tagsOf.get(tagName);
  return tag === undefined || format.tags.includes(tag) ? format : { ...format, tags: [...format.tags, tag] };
}

const tagsOf: ReadonlyMap<string, string> = new Map([
  ...["strong", "em", "u", "s", "sub", "sup", "code"].map((name): [string, string] => [name, name]),
  ["b", "strong"],
  ...["i", "cite", "dfn", "var"].map((name): [string, string] => [name, "em"]),
  ["ins", "u"],
  ...["del", "strike"].map((name): [string, string] => [name, "s"]),
  ...["kbd", "samp", "tt"].map((name): [string, string] => [name, "code"]),
]);

const maxAddressLength = 1_000;

const isAllowedAddress = (address: string): boolean =>
  address.length <= maxAddressLength &&
  /^(?:https?:\/\/|mailto:)[\w.~:/?#@!$&'()*+,;=%-]+$/.test(address) &&
  URL.canParse(address);
