import type { RateState } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { unknownCursor } from "#platform/cursor.ts";
import type { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { genDialect } from "../../http/error-dialect.ts";
import { gatherPages, type PageQuery } from "../pages.ts";
import { type ProtectedAccess, queryOf } from "../route.ts";
import { described, integer, required, text } from "../schema-parts.ts";

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

/** What all operations of document generation share. */
export const genBase = { dialect: genDialect } as const;

export const read: ProtectedAccess = { scopes: ["gen:read"], limitGroup: "other" };
export const write: ProtectedAccess = { scopes: ["gen:write"], limitGroup: "other" };
/** What takes a slot of the plan. */
export const generate: ProtectedAccess = { scopes: ["gen:write"], limitGroup: "plan" };

export const location = (path: string) => ({ Location: `Where it is read: ${path}.` }) as const;

export const replayed = { "Idempotent-Replayed": "true" } as const;
export const replayedHeader = {
  "Idempotent-Replayed":
    "true when nothing new was made: the answer is about what the first request with this key made.",
} as const;

/** The rate headers of an answer that took a slot of the plan, or repeats one that did. */
export function planRateHeaders(rate: RateState | undefined): Record<string, string> {
  const { limit, remaining, resetAt, retryAfterSeconds } = required(rate);
  return {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(resetAt),
    "Retry-After": String(Math.max(1, retryAfterSeconds)),
  };
}
