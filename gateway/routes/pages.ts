import type { CallOptions } from "@connectrpc/connect";
import type { JsonSchema } from "#api/kinds.ts";
import { jsonReply } from "../http/reply.ts";
import { onBehalfOf, type RouteRequest } from "./route.ts";
import { integer, listOf } from "./schema-parts.ts";
import type { Services } from "./services.ts";

/** The query of a list. */
export interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

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
  wanted: PageQuery,
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
  description: "The maximum number of items in the response.",
  examples: [100],
};

export const nextPageHeader = {
  "X-Next-Cursor": {
    description: "The cursor of the next page; absent on the last one.",
    example: "eyJhZnRlciI6IjAxOTYxMjM0In0",
  },
};

interface Listing<Name extends string, Item> {
  /** Under which name the service answers the items. */
  readonly name: Name;
  readonly items: { readonly schemas: { readonly answer: JsonSchema }; answer(item: Item): unknown };
  readonly description: string;
  /** The most that the service gives at once, if it gives fewer than one may want. */
  readonly maxPage?: number;
}

/** What a route that lists has beside its name and its query. */
export const listing = <Name extends string, Item, Query extends PageQuery = PageQuery>(
  { name, items, description, maxPage = defaultLimit }: Listing<Name, Item>,
  ask: (
    services: Services,
    page: { readonly limit: number; readonly cursor: string },
    options: CallOptions,
    query: Query,
  ) => Promise<{ readonly [K in Name]: readonly NoInfer<Item>[] } & { readonly nextCursor: string }>,
) => ({
  success: { status: 200, description, schema: listOf(items.schemas.answer), headers: nextPageHeader },
  errors: [],
  call: (request: RouteRequest<string, Query>, services: Services) =>
    gatherPages(request.query, async ({ limit, cursor }) => {
      const wanted = { limit: Math.min(limit, maxPage), cursor };
      const page = await ask(services, wanted, onBehalfOf(request), request.query);
      return { items: page[name], nextCursor: page.nextCursor };
    }),
  respond: (page: Page<Item>) => pageReply(items, page),
});
