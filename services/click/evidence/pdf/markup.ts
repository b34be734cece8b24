import { escapeHtml } from "#platform/restricted-html/serialize.ts";
import { visibleText } from "#platform/visible-text.ts";

/** A piece of HTML. Only this file makes one of text, so that no text becomes markup by accident. */
export class Markup {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}

export type Piece = string | number | Markup | readonly Piece[];

/** HTML with values in it: texts and numbers are shown as they are, pieces of HTML stay HTML. */
export const markup = (parts: TemplateStringsArray, ...values: readonly Piece[]): Markup =>
  new Markup(
    parts.reduce((html, part, index) => {
      const before = values[index - 1];
      return html + (before === undefined ? "" : htmlOf(before)) + part;
    }, ""),
  );

export const nothing = new Markup("");

function htmlOf(piece: Piece): string {
  if (piece instanceof Markup) return piece.html;
  return typeof piece === "string" || typeof piece === "number" ? textHtml(String(piece)) : piece.map(htmlOf).join("");
}

/** HTML that shows a text. What could show it in another order than it has, or is no character, shows its code. */
export const textHtml = (text: string): string => escapeHtml(visibleText(text));

/** A value to be compared letter by letter: a hash, an id. It has nothing between its letters when it is copied. */
export const exact = (value: string): Markup =>
  value.length > longestExact ? markup`<code class="small">${value}</code>` : markup`<code>${value}</code>`;

const longestExact = 60;
