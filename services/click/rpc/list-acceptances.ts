import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService, ListAcceptancesRequest } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { type ListedReceipt, type ListPosition, type ListQuery, listReceipts } from "../store/acceptance-list.ts";
import type { ClickDeps } from "./deps.ts";
import { readTime } from "./wire-time.ts";

/** A page ends early when its receipts would not fit into one message; the cursor leads on as usual. */
export const listAcceptances = ({
  pool,
}: Pick<ClickDeps, "pool">): Pick<ServiceImpl<typeof ClickService>, "listAcceptances"> => ({
  async listAcceptances(request, context) {
    const { orgId } = requireCaller(context);
    const query = readQuery(request);
    if (query === undefined) return { receiptsJson: [], nextCursor: "" };
    const found = await withOrg(pool, orgId, (client) =>
      listReceipts(orgId, client, { ...query, limit: query.limit + 1 }),
    );
    const page = fitPage(found.slice(0, query.limit));
    const last = page.at(-1);
    return {
      receiptsJson: page.map(({ receipt }) => receipt),
      nextCursor: found.length > page.length && last !== undefined ? writeCursor(last) : "",
    };
  },
});

const maxLimit = 1_000;

/** Undefined when nothing can match. */
function readQuery(request: ListAcceptancesRequest): ListQuery | undefined {
  const { userRef, templateId, from, to, limit, cursor } = request;
  const after = cursor === "" ? undefined : readCursor(cursor);
  if (templateId !== undefined && !isUuid(templateId)) return undefined;
  if (userRef !== undefined && /[\p{Cc}\p{Cs}]/u.test(userRef)) return undefined;
  return {
    userRef,
    templateId,
    from: readTime("from", from),
    to: readTime("to", to),
    after,
    limit: limit === 0 ? maxLimit : Math.min(limit, maxLimit),
  };
}

/** What fits into one answer with room to spare: gRPC messages have 4 MiB at most. */
const maxPageBytes = 2_621_440;

function fitPage(receipts: readonly ListedReceipt[]): readonly ListedReceipt[] {
  let total = 0;
  const end = receipts.findIndex(({ receipt }, index) => {
    total += Buffer.byteLength(receipt);
    return index > 0 && total > maxPageBytes;
  });
  return end === -1 ? receipts : receipts.slice(0, end);
}

/** Names a place in the list for the next request; opaque to clients. */
const writeCursor = ({ acceptedAt, receiptId }: ListPosition): string =>
  Buffer.from(`${acceptedAt.getTime()} ${receiptId}`, "latin1").toString("base64url");

function readCursor(cursor: string): ListPosition {
  const [time = "", receiptId = "", ...rest] = Buffer.from(cursor, "base64url").toString("latin1").split(" ");
  const acceptedAt = new Date(/^\d{1,15}$/.test(time) ? Number(time) : Number.NaN);
  const isPosition = rest.length === 0 && isUuid(receiptId) && acceptedAt.getTime() < Date.UTC(10_000, 0);
  // Decoding skips what is not base64url, so only a cursor that comes out the same again is one of ours.
  if (isPosition && writeCursor({ acceptedAt, receiptId }) === cursor) return { acceptedAt, receiptId };
  const details = [{ field: "cursor", code: "INVALID_CURSOR", message: "must be a cursor that a previous page gave" }];
  throw new DomainError("CLICK_VALIDATION_FAILED", { details });
}
