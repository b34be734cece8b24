import { type Markup, markupWith, nothing, type Piece } from "#platform/restricted-html/markup.ts";
import { escapeHtml } from "#platform/restricted-html/serialize.ts";
import { visibleText } from "#platform/visible-text.ts";

export { type Markup, nothing, type Piece };

/** Normalizes line breaks: the restricted HTML does not allow carriage returns. */
export const markup = markupWith((text) => escapeHtml(visibleText(text.replaceAll(/\r\n?/g, "\n"))));

/** A value in a fixed-width font, for comparing character by character. */
export const exact = (value: string): Markup => markup`<code>${value}</code>`;

/** A labelled value; absent when there is nothing to show. */
export type Fact = readonly [label: string, value: Piece | undefined];

/** A table of facts; absent ones are skipped. */
export function facts(rows: readonly Fact[]): Markup {
  const known = rows.filter((row): row is readonly [string, Piece] => row[1] !== undefined && row[1] !== "");
  return markup`<table class="plain compact"><tbody>${known.map(
    ([label, value]) => markup`<tr><td class="muted" style="width: 50mm">${label}</td><td>${value}</td></tr>`,
  )}</tbody></table>`;
}

export interface Column {
  readonly title: string;
  /** Millimetres; absent for the remaining width. */
  readonly width?: number;
}

/** A table that repeats its header on every page. */
export function table(columns: readonly Column[], rows: readonly (readonly Piece[])[]): Markup {
  const heads = columns.map(({ title, width }) =>
    width === undefined
      ? markup`<th scope="col">${title}</th>`
      : markup`<th scope="col" style="width: ${width}mm">${title}</th>`,
  );
  const body = rows.map((cells) => markup`<tr>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>`);
  return markup`<table class="compact striped"><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table>`;
}

/** A SHA-256 hash in hex, broken into two lines that fit the column. */
export const fingerprint = (hex: string): Markup => markup`${exact(hex.slice(0, 32))}<br>${exact(hex.slice(32))}`;

/** A UTC time in ISO 8601, to the second. */
export const time = (at: Date | null | undefined): string | undefined =>
  at === null || at === undefined ? undefined : `${at.toISOString().slice(0, 19)}Z`;
