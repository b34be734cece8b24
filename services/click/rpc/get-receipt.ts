import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { findReceipt } from "../store/acceptance-store.ts";
import { findConsentReceipt } from "../store/consent-store.ts";
import type { ClickDeps } from "./deps.ts";

export const getReceipt = ({
  pool,
}: Pick<ClickDeps, "pool">): Pick<ServiceImpl<typeof ClickService>, "getReceipt"> => ({
  async getReceipt({ receiptId }, context) {
    const { orgId } = requireCaller(context);
    const receipt = isUuid(receiptId)
      ? await withOrg(
          pool,
          orgId,
          async (client) =>
            (await findReceipt(orgId, client, receiptId)) ?? (await findConsentReceipt(orgId, client, receiptId)),
        )
      : undefined;
    if (receipt === undefined) throw new DomainError("CLICK_RECEIPT_NOT_FOUND");
    return { receiptJson: receipt };
  },
});
