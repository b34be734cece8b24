import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { deleteBulkList, findBulkList, insertBulkList, listBulkLists, replaceBulkList } from "../store/bulk-store.ts";
import { bulkListMessage, bulkListSummary, storedCopies } from "./bulk-messages.ts";
import type { SignDeps } from "./deps.ts";

type BulkLists = Pick<
  ServiceImpl<typeof SignService>,
  "createBulkList" | "getBulkList" | "listBulkLists" | "updateBulkList" | "deleteBulkList"
>;

export const bulkLists = ({ pool, clock, newId }: Pick<SignDeps, "pool" | "clock" | "newId">): BulkLists => ({
  async createBulkList({ name, copies }, context) {
    const { orgId } = requireCaller(context);
    const list = { id: newId(), name, copies: storedCopies(copies), createdAt: clock.now() };
    await insertBulkList(pool, orgId, list);
    return { list: bulkListMessage(list) };
  },
  async getBulkList({ id }, context) {
    const { orgId } = requireCaller(context);
    return { list: bulkListMessage(found(await findBulkList(pool, orgId, id))) };
  },
  async listBulkLists(_request, context) {
    const { orgId } = requireCaller(context);
    return { lists: (await listBulkLists(pool, orgId)).map(bulkListSummary) };
  },
  async updateBulkList({ id, name, copies }, context) {
    const { orgId } = requireCaller(context);
    const list = await replaceBulkList(pool, orgId, id, { name, copies: storedCopies(copies) });
    return { list: bulkListMessage(found(list)) };
  },
  async deleteBulkList({ id }, context) {
    const { orgId } = requireCaller(context);
    if (!(await deleteBulkList(pool, orgId, id))) throw new DomainError("BULK_LIST_NOT_FOUND");
    return {};
  },
});

function found<List>(list: List | undefined): List {
  if (list === undefined) throw new DomainError("BULK_LIST_NOT_FOUND");
  return list;
}
