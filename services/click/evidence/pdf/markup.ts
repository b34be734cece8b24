import { Markup, markupWith, nothing, type Piece } from "#platform/restricted-html/markup.ts";
import { escapeHtml } from "#platform/restricted-html/serialize.ts";
import { visibleText } from "#platform/visible-text.ts";

export { Markup, nothing, type Piece };

/** A text as HTML. Characters that are invalid or could reorder the text are shown by their code. */
export const textHtml = (text: string): string => escapeHtml(visibleText(text));

export const markup = markupWith(textHtml);

/** A hash or id for comparing character by character. Copying it yields no extra characters. */
export const exact = (value: string): Markup =>
  value.length > longestExact ? markup`<code class="small">${value}</code>` : markup`<code>${value}</code>`;

const longestExact = 60;

/** A labelled value; absent when there is nothing to show. */
export type Fact = readonly [label: string, value: Piece | null | undefined];

/** A table of facts; absent ones are skipped, and without any there is no table. */
export function facts(rows: readonly Fact[]): Markup {
  const known = rows.filter((row): row is readonly [string, Piece] => row[1] !== null && row[1] !== undefined);
  if (known.length === 0) return nothing;
  return markup`<table><tbody>${known.map(
    ([label, value]) => markup`<tr><th scope="row" style="width: 46mm">${label}</th><td>${value}</td></tr>`,
  )}</tbody></table>`;
}

/** A title, and optionally a fixed column width in millimetres. */
type Column = string | readonly [title: string, width: number];

const headOf = (column: Column): Markup => {
  const [title, width] = typeof column === "string" ? [column, 0] : column;
  return width === 0
    ? markup`<th scope="col">${title}</th>`
    : markup`<th scope="col" style="width: ${width}mm">${title}</th>`;
};

/** A table with one row per item; long lists are cut, with a note of how many items are left out. */
export function list<Item>(
  columns: readonly Column[],
  items: readonly Item[],
  cells: (item: Item) => readonly (Piece | null | undefined)[],
): Markup {
  const shown = items.slice(0, maxRows);
  const left = items.length - shown.length;
  const heads = columns.map(headOf);
  const rows = shown.map((item) => markup`<tr>${cells(item).map((cell) => markup`<td>${cellOf(cell)}</td>`)}</tr>`);
  const rest = left === 0 ? nothing : markup`<p class="small">${left} more are in the file bundle.json.</p>`;
  return markup`<table><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table>${rest}`;
}

const maxRows = 300;

const cellOf = (cell: Piece | null | undefined): Piece => {
  return cell === null || cell === undefined || cell === "" ? "–" : cell;
};

export const section = (title: string, ...body: readonly Markup[]): Markup =>
  body.every(({ html }) => html === "") ? nothing : markup`<h2>${title}</h2>${body}`;

export const paragraph = (text: Piece): Markup => markup`<p>${text}</p>`;

export const bullets = (texts: readonly string[]): Markup =>
  texts.length === 0 ? nothing : markup`<ul>${texts.map((text) => markup`<li>${text}</li>`)}</ul>`;

/** A readable RFC 3339 time; all times in a bundle are in UTC. */
export function time(value: string | null | undefined): string | undefined {
  if (value === null || value === undefined) return undefined;
  const [, day, clock] = /^(\d{4}-\d\d-\d\d)T([\d:.]+)Z$/.exec(value) ?? [];
  return day === undefined || clock === undefined ? value : `${day} ${clock} UTC`;
}

export const hash = (value: string | null | undefined): Markup | undefined =>
  value === null || value === undefined ? undefined : exact(value);

export const yesNo = (value: boolean | null | undefined): string | undefined => {
  if (value === null || value === undefined) return undefined;
  return value ? "yes" : "no";
};

/** Whether the service observed something or was told of it. */
export const knownFrom = (source: "SERVER" | "CLIENT"): string => (source === "SERVER" ? "the service" : "the sender");

/** Shortens a program's name; two lines are enough to recognize it. */
export function shortened(text: string | null | undefined): string | undefined {
  if (text === null || text === undefined) return undefined;
  const characters = Array.from(text);
  return characters.length <= maxShown ? text : `${characters.slice(0, maxShown).join("")} …`;
}

const maxShown = 120;

/** A code such as SESSION_CREATED as words. */
export const words = (code: string): string => code.toLowerCase().replaceAll("_", " ");

/** Any value as JSON; texts are shown directly. */
export function anyValue(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "boolean") return yesNo(value);
  if (Array.isArray(value)) return value.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
