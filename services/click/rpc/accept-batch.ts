import type { ServiceImpl } from "@connectrpc/connect";
import type { AcceptBatchRequest_Item, ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { parseOrgId } from "#platform/ids.ts";
import type { AcceptItem } from "../accept/accept-item.ts";
import type { ClickDeps } from "./deps.ts";
import { batchResult } from "./messages.ts";

export const acceptBatch = ({
  acceptPath,
}: Pick<ClickDeps, "acceptPath">): Pick<ServiceImpl<typeof ClickService>, "acceptBatch"> => ({
  async acceptBatch(request) {
    const outcomes = await Promise.all(acceptPath.accept(request.items.map(acceptItem)));
    return { results: outcomes.map(batchResult) };
  },
});

function acceptItem({ caller, idempotencyKey, body }: AcceptBatchRequest_Item): AcceptItem {
  const orgId = parseOrgId(caller?.organizationId ?? "");
  if (caller === undefined || orgId === undefined) throw new Error("an item without a caller passed validation");
  const { clientId, requestId, traceparent, observed } = caller;
  return {
    caller: { orgId, clientId, requestId, traceparent },
    observed: { ip: observed?.ip ?? "", userAgent: observed?.userAgent ?? "" },
    idempotencyKey,
    bytes: body,
  };
}
