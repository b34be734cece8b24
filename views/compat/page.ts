import { defined } from "#platform/json-object.ts";
import { numberText, type Written } from "./scalars.ts";

export interface Page {
  /** The index of the first item among all. */
  readonly start: number;
  /** How many items there are on the page. */
  readonly size: number;
  readonly total: number;
  /** The address of a page that begins at an index, relative to the account; absent: there are no other pages. */
  readonly uriFrom?: (start: number) => string;
}

/** What every list says about itself. */
export const pageOf = ({ start, size, total, uriFrom }: Page): Readonly<Record<string, Written>> =>
  defined({
    resultSetSize: numberText(size),
    startPosition: numberText(start),
    // The index of the last item; of a page without any, that of the first one that it would have.
    endPosition: numberText(Math.max(start, start + size - 1)),
    totalSetSize: numberText(total),
    nextUri: uriFrom !== undefined && size > 0 && start + size < total ? uriFrom(start + size) : undefined,
  });

/** The address of a page of the same list: with all that the query asked for but the place of the page. */
export function pageUri(path: string, query: object, { start, count }: { start: number; count: number }): string {
  const page = new URLSearchParams({ start_position: String(start), count: String(count) });
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && !page.has(name)) page.set(name, String(value));
  }
  return `${path}?${page}`;
}
