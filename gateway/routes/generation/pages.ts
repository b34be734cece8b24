import { unknownCursor } from "#platform/cursor.ts";
import type { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { gatherPages, type PageQuery } from "../pages.ts";
import { queryOf } from "../route.ts";
import { described, integer, text } from "../schema-parts.ts";

export const pageQuery = queryOf<PageQuery>({
  limit: described(integer(1, 1_000), "The most that are wanted."),
  cursor: described(text(1, 200), "X-Next-Cursor of the previous page."),
});

/** The most that the service puts into one page. */
const maxPageSize = 200;

interface IdPage<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

/** Gathers a list that goes on after the id of its last item. */
export function gatherAfterIds<Item extends { readonly id: string }>(
  query: PageQuery,
  ask: (page: { afterId: string; pageSize: number }) => Promise<IdPage<Item>>,
) {
  const cursor = query.cursor === undefined ? "" : writeCursor(readId(query.cursor));
  return gatherPages({ ...query, cursor }, async ({ limit, cursor }) => {
    const afterId = cursor === "" ? "" : readId(cursor);
    const { items, hasMore } = await ask({ afterId, pageSize: Math.min(limit, maxPageSize) });
    const last = items.at(-1)?.id;
    return { items, nextCursor: hasMore && last !== undefined ? writeCursor(last) : "" };
  });
}

/** Gathers a list whose items have numbers. */
export function gatherFromIndex<Item extends { readonly index: number }>(
  query: PageQuery,
  ask: (page: { fromIndex: number; pageSize: number }) => Promise<IdPage<Item>>,
) {
  const cursor = query.cursor === undefined ? "" : writeCursor(String(readIndex(query.cursor)));
  return gatherPages({ ...query, cursor }, async ({ limit, cursor }) => {
    const fromIndex = cursor === "" ? 0 : readIndex(cursor);
    const { items, hasMore } = await ask({ fromIndex, pageSize: Math.min(limit, maxPageSize) });
    const last = items.at(-1)?.index;
    return { items, nextCursor: hasMore && last !== undefined ? writeCursor(String(last + 1)) : "" };
  });
}

/** Opaque to clients. */
const writeCursor = (position: string): string => Buffer.from(position, "latin1").toString("base64url");

function readId(cursor: string): string {
  const id = readCursor(cursor);
  if (!isUuid(id)) throw badCursor();
  return id;
}

function readIndex(cursor: string): number {
  const index = readCursor(cursor);
  if (!/^\d{1,6}$/.test(index)) throw badCursor();
  return Number(index);
}

/** Decoding skips what is not base64url, so only a cursor that comes out the same again is one of ours. */
function readCursor(cursor: string): string {
  const position = Buffer.from(cursor, "base64url").toString("latin1");
  if (writeCursor(position) !== cursor) throw badCursor();
  return position;
}

const badCursor = (): DomainError => unknownCursor("GEN_INVALID_REQUEST");
