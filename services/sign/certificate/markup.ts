import { directionOf } from "#platform/language.ts";
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

/** Writes a time; absent when there is none. */
export type Clock = (at: Date | null | undefined) => Markup | undefined;

/** Times of a zone to the second, each with that of UTC (ISO 8601) beside it; of UTC alone where that is the zone. */
export function clockIn(timeZone: string, locale: string): Clock {
  const zoned = zonedFormat(timeZone);
  const mark = numeralMark(locale);
  return (at) => {
    if (at === null || at === undefined) return undefined;
    const utc = `${at.toISOString().slice(0, 19)}Z`;
    if (zoned === undefined) return markup`${utc}`;
    const parts = new Map(zoned.formatToParts(at).map(({ type, value }) => [type, value]));
    const part = (name: Intl.DateTimeFormatPartTypes): string => parts.get(name) ?? "";
    const day = `${part("year")}-${part("month")}-${part("day")}`;
    const local = `${day} ${part("hour")}:${part("minute")}:${part("second")} ${part("timeZoneName")}`;
    return markup`${mark}${local} <span class="small muted">${utc}</span>`;
  };
}

/** Where texts run from right to left, dates and ranges would be turned around without it (UAX #9, W7). */
export const numeralMark = (locale: string): string => (directionOf(locale) === "rtl" ? "\u200e" : "");

/** Undefined for UTC, and for what is no zone. */
function zonedFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  if (timeZone === "" || timeZone === "UTC" || timeZone === "Etc/UTC") return undefined;
  try {
    return new Intl.DateTimeFormat("en-GB", {
      ...{ timeZone, timeZoneName: "shortOffset", hourCycle: "h23" },
      ...{ year: "numeric", month: "2-digit", day: "2-digit" },
      ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
    });
  } catch {
    return undefined;
  }
}

/** Whether times are shown in this zone. */
export const isShownZone = (timeZone: string): boolean => zonedFormat(timeZone) !== undefined;

/** A SHA-256 hash in hex, in one line of small letters. */
export const fineprint = (hex: string): Markup => markup`<span class="small">${exact(hex)}</span>`;
