import { type JsonObject, toJson } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type AcceptBatchRequest_Item,
  type AcceptRequest,
  AcceptRequestSchema,
  type ClickService,
} from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { DomainError } from "#platform/errors.ts";
import { parseOrgId } from "#platform/ids.ts";
import type { ClickDeps } from "../deps.ts";
import { acceptResponse, batchResult } from "../messages.ts";
import type { AcceptItem } from "./accept-body.ts";

export const accept = ({
  acceptPath,
}: Pick<ClickDeps, "acceptPath">): Pick<ServiceImpl<typeof ClickService>, "accept"> => ({
  async accept(request, context) {
    const [outcome] = acceptPath.accept([
      {
        caller: requireCaller(context),
        observed: { ip: request.observed?.ip ?? "", userAgent: request.observed?.userAgent ?? "" },
        idempotencyKey: request.idempotencyKey,
        bytes: bodyBytes(request),
      },
    ]);
    if (outcome === undefined) throw new Error("an acceptance came to nothing");
    return acceptResponse(await outcome);
  },
});

function bodyBytes(request: AcceptRequest): Uint8Array {
  try {
    return Buffer.from(canonicalJson(acceptBody(request)));
  } catch (error) {
    // A time outside RFC 3339's range, or a number that JSON cannot represent.
    const problem = { field: "", code: "JSON", message: "has a value that JSON cannot express" };
    throw new DomainError("CLICK_VALIDATION_FAILED", { details: [problem], cause: error });
  }
}

/**
 * The body as the REST API would have received it: one idempotency key used over gRPC and REST is the same
 * request.
 */
export function acceptBody(request: AcceptRequest): JsonObject {
  const { idempotencyKey: _, observed: __, ...body } = toJson(AcceptRequestSchema, request) as JsonObject;
  // Protobuf's JSON form omits false values.
  const purposes = request.purposes.map(({ purpose, granted }) => ({ purpose, granted }));
  return purposes.length === 0 ? body : { ...body, purposes };
}

export const acceptBatch = ({
  acceptPath,
  countItem,
}: Pick<ClickDeps, "acceptPath" | "countItem">): Pick<ServiceImpl<typeof ClickService>, "acceptBatch"> => ({
  async acceptBatch(request) {
    const outcomes = await Promise.all(acceptPath.accept(request.items.map(acceptItem)));
    // The call as a whole succeeds, whatever comes of its items.
    for (const outcome of outcomes) countItem(outcome.kind === "refused" ? outcome.error.code : "ok");
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
