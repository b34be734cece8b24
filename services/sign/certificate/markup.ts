import { escapeHtml } from "#platform/restricted-html/serialize.ts";
import { visibleText } from "#platform/visible-text.ts";

/** A piece of HTML. Only this file makes one of text, so that no value becomes markup by accident. */
export class Markup {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}

export type Piece = string | number | Markup | readonly Piece[];

/** HTML with values in it: texts and numbers are shown as they are, pieces of HTML stay HTML. */
export const markup = (parts: TemplateStringsArray, ...values: readonly Piece[]): Markup =>
  new Markup(parts.reduce((html, part, index) => html + htmlOf(values[index - 1] ?? "") + part, ""));

export const nothing = new Markup("");

function htmlOf(piece: Piece): string {
  if (piece instanceof Markup) return piece.html;
  return typeof piece === "string" || typeof piece === "number"
    ? escapeHtml(visible(String(piece)))
    : piece.map(htmlOf).join("");
}

/** Line breaks of any kind are one: HTML has no place for carriage returns. */
const visible = (text: string): string => visibleText(text.replaceAll(/\r\n?/g, "\n"));

/** A value to be compared letter by letter. */
export const exact = (value: string): Markup => markup`<code>${value}</code>`;

/** What is said of something; absent when there is nothing to say. */
export type Fact = readonly [label: string, value: Piece | undefined];

/** A table of facts without those that are absent. */
export function facts(rows: readonly Fact[]): Markup {
  const known = rows.filter((row): row is readonly [string, Piece] => row[1] !== undefined && row[1] !== "");
  return markup`<table class="plain compact"><tbody>${known.map(
    ([label, value]) => markup`<tr><td class="muted" style="width: 50mm">${label}</td><td>${value}</td></tr>`,
  )}</tbody></table>`;
}

export interface Column {
  readonly title: string;
  /** Millimetres; absent: what is left. */
  readonly width?: number;
}

/** A table whose head is repeated on every page. */
export function table(columns: readonly Column[], rows: readonly (readonly Piece[])[]): Markup {
  const heads = columns.map(({ title, width }) =>
    width === undefined
      ? markup`<th scope="col">${title}</th>`
      : markup`<th scope="col" style="width: ${width}mm">${title}</th>`,
  );
  const body = rows.map((cells) => markup`<tr>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>`);
  return markup`<table class="compact striped"><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table>`;
}

/** A SHA-256 in hex, in two lines of which each fits. */
export const fingerprint = (hex: string): Markup => markup`${exact(hex.slice(0, 32))}<br>${exact(hex.slice(32))}`;

/** A time in UTC as ISO 8601 writes it, to the second. */
export const time = (at: Date | null | undefined): string | undefined =>
  at === null || at === undefined ? undefined : `${at.toISOString().slice(0, 19)}Z`;
