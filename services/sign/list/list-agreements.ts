import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { type ListAgreementsRequest, DateField as WireDate, Order as WireOrder } from "#gen/assent/sign/v1/sign_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrgSnapshot } from "#platform/db/pool.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import type { Agreement } from "../agreement/agreement.ts";
import { loadAgreements } from "../agreement/agreement-store.ts";
import { listAuditEvents as readEvents } from "../agreement/audit-store.ts";
import { agreementTarget, withTarget } from "../agreement/context.ts";
import { agreementMessage, agreementStatusFromWire, auditEventMessage } from "../agreement/messages.ts";
import { invalid, problem } from "../agreement/problems.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import { searchFiles } from "../search/file-search.ts";
import {
  countAgreements,
  type DateField,
  type ListFilter,
  type ListOrder,
  type ListPosition,
  type ListQuery,
  listAgreements as readList,
} from "./list-store.ts";

const defaultLimit = 50;

type ListDeps = Pick<SignDeps, "pool" | "searcherPool" | "vault">;

export const listAgreements = (deps: ListDeps): SignRpcs<"listAgreements"> => ({
  async listAgreements(request, context) {
    const { orgId } = requireCaller(context);
    const query = { ...parseQuery(request), ...(await findInFiles(deps, orgId, request)) };
    return withOrgSnapshot(deps.pool, orgId, async (tenant) => {
      // One more than wanted shows whether there is another page.
      const found = await readList(tenant, { ...query, limit: query.limit + 1 });
      const listed = found.slice(0, query.limit);
      const page = request.withParts ? await withParts(tenant, listed) : listed;
      const total = request.withTotal ? await countAgreements(tenant, query) : undefined;
      return {
        agreements: page.map((agreement) => agreementMessage(agreement, orgId)),
        nextCursor: found.length > page.length ? nextCursor(query, page) : "",
        ...(total === undefined ? {} : { total: BigInt(total) }),
      };
    });
  },
});

/** What is found in files comes first: it is looked for as another role. */
async function findInFiles(deps: ListDeps, orgId: OrgId, { text, words }: ListAgreementsRequest) {
  const withText = text === "" ? undefined : await searchFiles(deps, orgId, text);
  const withWords = words === "" ? undefined : await searchFiles(deps, orgId, words);
  if (words !== "" && withWords === undefined) {
    const how = "PUT /v1/privacy/file-search turns it on";
    throw invalid(
      problem("words", "NOT_ALLOWED", `must not be given: the organization does not search in files; ${how}`),
    );
  }
  return { withText: withText ?? [], withWords };
}

function parseQuery(request: ListAgreementsRequest): Omit<ListQuery, "withText" | "withWords"> {
  const order = { order: parseOrder(request.order), ascending: request.ascending };
  const limit = request.limit || defaultLimit;
  const common = { ...parseFilter(request), ...order, limit };
  if (request.cursor === "") return { ...common, after: undefined, offset: Math.min(request.offset, maxOffset) };
  if (request.offset !== 0) throw invalid(problem("offset", "NOT_ALLOWED", "must not be given with a cursor"));
  const cursor = parseCursor(order, request.cursor);
  return { ...common, after: undefined, offset: 0, ...cursor };
}

/** Beyond every list, yet valid for the database. */
const maxOffset = 2 ** 31 - 1;

function nextCursor(query: Pick<ListQuery, "order" | "ascending" | "offset">, page: readonly Agreement[]): string {
  const last = page.at(-1);
  if (last === undefined || !hasPosition(query)) return cursorText(query, { offset: query.offset + page.length });
  const at = query.order === "created" ? last.createdAt : last.statusChangedAt;
  return cursorText(query, { after: { at, id: last.id } });
}

/** How many are read at once and how much a page may hold, to bound messages and memory. */
const chunkLength = 50;
const maxPageBytes = 12 * 1024 * 1024;

/** As many as fit into a page, at least one, with all their parts. */
async function withParts(tenant: Tenant, listed: readonly Agreement[]): Promise<Agreement[]> {
  const page: Agreement[] = [];
  let bytes = 0;
  for (let start = 0; start < listed.length; start += chunkLength) {
    const ids = listed.slice(start, start + chunkLength).map(({ id }) => id);
    const loaded = new Map((await loadAgreements(tenant, ids)).map((agreement) => [agreement.id, agreement]));
    for (const agreement of ids.map((id) => loaded.get(id)).filter((one) => one !== undefined)) {
      bytes += approximateBytes(agreement);
      if (page.length > 0 && bytes > maxPageBytes) return page;
      page.push(agreement);
    }
  }
  return page;
}

/** The approximate message size, from the parts that can be numerous. */
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

/** Where a page ended: after an agreement for orders with an index, otherwise an offset. */
type Cursor = { readonly after: ListPosition } | { readonly offset: number };

type CursorOrder = { readonly order: ListOrder; readonly ascending: boolean };

const hasPosition = ({ order }: Pick<CursorOrder, "order">): boolean =>
  order === "created" || order === "status-changed";

function cursorText(order: CursorOrder, cursor: Cursor): string {
  const place = "after" in cursor ? [cursor.after.at.getTime(), cursor.after.id] : [cursor.offset];
  return Buffer.from([orderName(order), ...place].join(" ")).toString("base64url");
}

/** Throws VALIDATION_FAILED for a cursor that was not issued for this order. */
function parseCursor(order: CursorOrder, text: string): Cursor {
  const [name, number = "", id, ...more] = Buffer.from(text, "base64url").toString("latin1").split(" ");
  const value = /^-?[0-9]{1,15}$/.test(number) ? Number(number) : -1;
  const isOfOrder = name === orderName(order) && more.length === 0;
  if (isOfOrder && hasPosition(order) && id !== undefined && isUuid(id) && value >= 0)
    return { after: { at: new Date(value), id } };
  if (isOfOrder && !hasPosition(order) && id === undefined && value >= 0 && value < 2 ** 31) return { offset: value };
  throw invalid(problem("cursor", "INVALID_CURSOR", "must be the nextCursor of a page in the same order"));
}

const orderName = ({ order, ascending }: CursorOrder): string => `${order}${ascending ? "+" : "-"}`;

const parseFilter = (request: ListAgreementsRequest): Omit<ListFilter, "withText" | "withWords"> => ({
  templates: request.templates,
  statuses: request.statuses.map(agreementStatusFromWire).filter((status) => status !== undefined),
  // Ids that are not UUIDs match nothing; if there are no others, the result is empty.
  ids: request.ids.length === 0 ? undefined : request.ids.filter(isUuid).map((id) => id.toLowerCase()),
  transactionIds: request.transactionIds,
  email: request.email,
  recipientName: request.recipientName,
  text: request.text,
  customField: request.customField,
  bulkBatchId: request.bulkBatchId.toLowerCase(),
  dateField: dateFields.get(request.dateField),
  from: dateOf(request.from),
  to: dateOf(request.to),
});

const parseOrder = (order: WireOrder): ListOrder => orders.get(order) ?? "created";

const dateOf = (timestamp: Timestamp | undefined): Date | undefined =>
  timestamp === undefined ? undefined : timestampDate(timestamp);

const dateFields: ReadonlyMap<WireDate, DateField> = new Map([
  [WireDate.STATUS_CHANGED, "status-changed"],
  [WireDate.CREATED, "created"],
  [WireDate.SENT, "sent"],
  [WireDate.DELIVERED, "delivered"],
  [WireDate.COMPLETED, "completed"],
  [WireDate.DECLINED, "declined"],
  [WireDate.VOIDED, "voided"],
  [WireDate.MODIFIED, "modified"],
]);

const orders: ReadonlyMap<WireOrder, ListOrder> = new Map([
  [WireOrder.CREATED, "created"],
  [WireOrder.STATUS_CHANGED, "status-changed"],
  [WireOrder.MODIFIED, "modified"],
  [WireOrder.SENT, "sent"],
  [WireOrder.COMPLETED, "completed"],
  [WireOrder.SUBJECT, "subject"],
  [WireOrder.STATUS, "status"],
  [WireOrder.EXPIRES, "expires"],
  [WireOrder.NAME, "name"],
]);

const usualEvents = 1_000;
/** Beyond every trail, yet valid for the column. */
const maxSequence = 2 ** 31 - 1;

export const listAuditEvents = (deps: Pick<SignDeps, "pool" | "vault">): SignRpcs<"listAuditEvents"> => ({
  async listAuditEvents(request, context) {
    const { orgId } = requireCaller(context);
    const limit = request.limit || usualEvents;
    const page = { afterSequence: Math.min(request.afterSequence, maxSequence), limit: limit + 1 };
    const target = agreementTarget(request.agreementId);
    const events = await withTarget(deps, orgId, target, (agreement, tenant) =>
      readEvents(tenant, deps.vault, agreement.id, page),
    );
    return {
      events: events.slice(0, limit).map((event) => auditEventMessage(target.id, event)),
      hasMore: events.length > limit,
    };
  },
});
