import type { ServiceImpl } from "@connectrpc/connect";
import type pg from "pg";
import type { ListAgreementsRequest, SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inSnapshot } from "#platform/db/transaction.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Agreement } from "../domain/agreement.ts";
import { invalid, problem } from "../domain/problems.ts";
import { loadAgreements } from "../store/agreement-store.ts";
import type { ListQuery } from "../store/list-query.ts";
import { countAgreements, listAgreements as readList } from "../store/list-store.ts";
import type { SignDeps } from "./deps.ts";
import { cursorText, hasPosition, parseCursor } from "./list-cursor.ts";
import { parseFilter, parseOrder } from "./list-input.ts";
import { agreementMessage } from "./messages.ts";

const defaultLimit = 50;

export const listAgreements = (
  deps: Pick<SignDeps, "pool">,
): Pick<ServiceImpl<typeof SignService>, "listAgreements"> => ({
  async listAgreements(request, context) {
    const { orgId } = requireCaller(context);
    const query = parseQuery(request);
    return inSnapshot(orgId, deps.pool, async (client) => {
      // One more than wanted tells whether there is another page.
      const found = await readList(client, orgId, { ...query, limit: query.limit + 1 });
      const listed = found.slice(0, query.limit);
      const page = request.withParts ? await withParts(client, orgId, listed) : listed;
      const total = request.withTotal ? await countAgreements(client, orgId, query) : undefined;
      return {
        agreements: page.map((agreement) => agreementMessage(agreement, orgId)),
        nextCursor: found.length > page.length ? nextCursor(query, page) : "",
        ...(total === undefined ? {} : { total: BigInt(total) }),
      };
    });
  },
});

function parseQuery(request: ListAgreementsRequest): ListQuery {
  const order = { order: parseOrder(request.order), ascending: request.ascending };
  const limit = request.limit || defaultLimit;
  const common = { ...parseFilter(request), ...order, limit };
  if (request.cursor === "") return { ...common, after: undefined, offset: Math.min(request.offset, maxOffset) };
  if (request.offset !== 0) throw invalid(problem("offset", "NOT_ALLOWED", "must not be given with a cursor"));
  const cursor = parseCursor(order, request.cursor);
  return { ...common, after: undefined, offset: 0, ...cursor };
}

/** Beyond every list, and still what the database takes. */
const maxOffset = 2 ** 31 - 1;

function nextCursor(query: ListQuery, page: readonly Agreement[]): string {
  const last = page.at(-1);
  if (last === undefined || !hasPosition(query)) return cursorText(query, { offset: query.offset + page.length });
  const at = query.order === "created" ? last.createdAt : last.statusChangedAt;
  return cursorText(query, { after: { at, id: last.id } });
}

/** How many are read at once, and how much a page may hold: a message has an end, and so has the memory. */
const chunkLength = 50;
const maxPageBytes = 12 * 1024 * 1024;

/** As many of them as a page holds, at least one, with everything that belongs to them. */
async function withParts(client: pg.PoolClient, orgId: OrgId, listed: readonly Agreement[]): Promise<Agreement[]> {
  const page: Agreement[] = [];
  let bytes = 0;
  for (let start = 0; start < listed.length; start += chunkLength) {
    const ids = listed.slice(start, start + chunkLength).map(({ id }) => id);
    const loaded = new Map((await loadAgreements(client, orgId, ids)).map((agreement) => [agreement.id, agreement]));
    for (const agreement of ids.map((id) => loaded.get(id)).filter((one) => one !== undefined)) {
      bytes += approximateBytes(agreement);
      if (page.length > 0 && bytes > maxPageBytes) return page;
      page.push(agreement);
    }
  }
  return page;
}

/** About what it takes in a message: what there can be many of. */
function approximateBytes({ documents, recipients, metadata, subscription }: Agreement): number {
  let bytes = 1_000 + JSON.stringify([metadata, subscription]).length;
  for (const { pages } of documents) bytes += 500 + 20 * pages.length;
  for (const { tabs } of recipients) {
    bytes += 1_500;
    for (const { value, items, buttons, anchor } of tabs)
      bytes += 500 + 3 * value.length + 200 * items.length + 300 * buttons.length + (anchor?.text.length ?? 0);
  }
  return bytes;
}
