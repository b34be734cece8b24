import type { ServiceImpl } from "@connectrpc/connect";
import type pg from "pg";
import type { ClickService, GetInclusionProofRequest } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import { findLeaves } from "../store/log-store.ts";
import { findCheckpoint, findLogSize, findNewestCheckpoint } from "../store/tree-store.ts";
import type { ClickDeps } from "./deps.ts";

export const getInclusionProof = ({
  pool,
  proofs,
}: Pick<ClickDeps, "pool" | "proofs">): Pick<ServiceImpl<typeof ClickService>, "getInclusionProof"> => ({
  async getInclusionProof(request, context) {
    const { orgId } = requireCaller(context);
    const { leafIndex, treeSize, checkpoint } = await withOrg(pool, orgId, async (client) => {
      const leafIndex = await findIndex(orgId, client, request.leaf);
      return { leafIndex, ...(await chooseTree(orgId, client, leafIndex, request.size)) };
    });
    const { leafHash, path } = await proofs.inclusion(orgId, leafIndex, treeSize);
    return {
      leafIndex: BigInt(leafIndex),
      treeSize: BigInt(treeSize),
      leafHash,
      auditPath: [...path],
      checkpoint,
    };
  },
});

async function findIndex(
  orgId: OrgId,
  client: pg.ClientBase,
  { case: kind, value }: GetInclusionProofRequest["leaf"],
): Promise<number> {
  if (kind === "receiptId") {
    const id = value.toLowerCase();
    const leaf = isUuid(id) ? (await findLeaves(orgId, client, [id])).get(id) : undefined;
    if (leaf === undefined) throw new DomainError("CLICK_RECEIPT_NOT_FOUND");
    return leaf.leafIndex;
  }
  if (value === undefined || value >= (await findLogSize(orgId, client))) throw new DomainError("CLICK_LEAF_NOT_FOUND");
  return Number(value);
}

interface ChosenTree {
  readonly treeSize: number;
  /** Empty when none was published at this size. */
  readonly checkpoint: string;
}

/** Proofs are made for published trees only: whatever is proven can be checked against a signature. */
async function chooseTree(
  orgId: OrgId,
  client: pg.ClientBase,
  leafIndex: number,
  size: bigint | undefined,
): Promise<ChosenTree> {
  const newest = await findNewestCheckpoint(orgId, client);
  if (newest === undefined || newest.size <= leafIndex) throw new DomainError("CLICK_LEAF_NOT_INTEGRATED");
  if (size === undefined || size === BigInt(newest.size)) return { treeSize: newest.size, checkpoint: newest.note };
  if (size <= leafIndex) refuseSize("MINIMUM", `must be larger than the index of the leaf, which is ${leafIndex}`);
  if (size > newest.size) refuseSize("MAXIMUM", `must not be larger than the newest checkpoint's, ${newest.size}`);
  const treeSize = Number(size);
  return { treeSize, checkpoint: (await findCheckpoint(orgId, client, treeSize))?.note ?? "" };
}

function refuseSize(code: string, message: string): never {
  throw new DomainError("CLICK_VALIDATION_FAILED", { details: [{ field: "size", code, message }] });
}
