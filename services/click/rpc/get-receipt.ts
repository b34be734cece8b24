import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import { writeReceipts } from "../accept/acceptance-receipts.ts";
import { findConsentReceipt, writeConsentReceipts } from "../consent/consent-receipts.ts";
import type { ClickDeps } from "./deps.ts";

type Deps = Pick<ClickDeps, "pool" | "findAcceptance" | "vault" | "receiptKeys" | "issuer" | "content">;

export const getReceipt = (deps: Deps): Pick<ServiceImpl<typeof ClickService>, "getReceipt"> => ({
  async getReceipt({ receiptId }, context) {
    const { orgId } = requireCaller(context);
    const receiptJson = isUuid(receiptId) ? await findReceipt(deps, orgId, receiptId) : undefined;
    if (receiptJson === undefined) throw new DomainError("CLICK_RECEIPT_NOT_FOUND");
    return { receiptJson };
  },
});

/** Of an acceptance, or of a change of consent that was none. */
async function findReceipt(deps: Deps, orgId: OrgId, receiptId: string): Promise<string | undefined> {
  const acceptance = await deps.findAcceptance(orgId, receiptId);
  if (acceptance !== undefined) return (await writeReceipts(deps, [acceptance]))[0];
  const change = await withOrg(deps.pool, orgId, (client) => findConsentReceipt(orgId, client, receiptId));
  return change === undefined ? undefined : (await writeConsentReceipts(deps, orgId, [change]))[0];
}
