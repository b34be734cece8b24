import type { JsonSchema } from "#api/kinds.ts";
import { jsonReply } from "../http/reply.ts";
import { integer } from "./schema-parts.ts";

/** One page of a list, as a service answers it. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Empty on the last page. */
  readonly nextCursor: string;
}

const defaultLimit = 1_000;
/** Services end a page at a few MiB, so an answer has at most some 20 MiB. */
const maxPages = 8;

/**
 * Asks for pages until there are as many items as wanted, or no more: services may end a page early when it grows too
 * large. An answer that would be huge ends early too; its cursor leads on.
 */
export async function gatherPages<Item>(
  wanted: { readonly limit?: number; readonly cursor?: string },
  ask: (page: { limit: number; cursor: string }) => Promise<Page<Item>>,
): Promise<{ items: Item[]; nextCursor: string }> {
  const { limit = defaultLimit } = wanted;
  const items: Item[] = [];
  let cursor = wanted.cursor ?? "";
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = await ask({ limit: limit - items.length, cursor });
    items.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === "" || items.length >= limit) break;
  }
  return { items, nextCursor: cursor };
}

/** The header that leads to the next page; none on the last one. */
export const nextPage = (nextCursor: string): Record<string, string> =>
  nextCursor === "" ? {} : { "X-Next-Cursor": nextCursor };

/** The answer to a list: its items as the resource shows them, and the header that leads to the next page. */
export const pageReply = <Item>(resource: { answer(item: Item): unknown }, { items, nextCursor }: Page<Item>) =>
  jsonReply(
    200,
    items.map((item) => resource.answer(item)),
    nextPage(nextCursor),
  );

/** The query parameter that says how long a page may be. */
export const pageLimit: JsonSchema = {
  ...integer(1, defaultLimit),
  description: "The most that one answer may have.",
  examples: [100],
};

export const nextPageHeader = {
  "X-Next-Cursor": {
    description: "The cursor of the next page; absent on the last one.",
    example: "eyJhZnRlciI6IjAxOTYxMjM0In0",
  },
};
