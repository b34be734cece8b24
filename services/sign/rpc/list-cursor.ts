import { isUuid } from "#platform/ids.ts";
import { invalid, problem } from "../domain/problems.ts";
import type { ListOrder, ListPosition } from "../store/list-query.ts";

/** Where a page ended: behind an agreement where there is an index for it, else behind so many. */
export type Cursor = { readonly after: ListPosition } | { readonly offset: number };

export type CursorOrder = { readonly order: ListOrder; readonly ascending: boolean };

export const hasPosition = ({ order }: Pick<CursorOrder, "order">): boolean =>
  order === "created" || order === "status-changed";

export function cursorText(order: CursorOrder, cursor: Cursor): string {
  const place = "after" in cursor ? [cursor.after.at.getTime(), cursor.after.id] : [cursor.offset];
  return Buffer.from([orderName(order), ...place].join(" ")).toString("base64url");
}

/** Throws VALIDATION_FAILED for what was not answered to a request with this order. */
export function parseCursor(order: CursorOrder, text: string): Cursor {
  const [name, number = "", id, ...more] = Buffer.from(text, "base64url").toString("latin1").split(" ");
  const value = /^-?[0-9]{1,15}$/.test(number) ? Number(number) : -1;
  const isOfOrder = name === orderName(order) && more.length === 0;
  if (isOfOrder && hasPosition(order) && id !== undefined && isUuid(id) && value >= 0)
    return { after: { at: new Date(value), id } };
  if (isOfOrder && !hasPosition(order) && id === undefined && value >= 0 && value < 2 ** 31) return { offset: value };
  throw invalid(problem("cursor", "INVALID_CURSOR", "must be the nextCursor of a page in the same order"));
}

const orderName = ({ order, ascending }: CursorOrder): string => `${order}${ascending ? "+" : "-"}`;
