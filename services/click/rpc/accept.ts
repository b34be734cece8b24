import { type JsonObject, toJson } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { type AcceptRequest, AcceptRequestSchema, type ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { DomainError } from "#platform/errors.ts";
import type { ClickDeps } from "./deps.ts";
import { acceptResponse } from "./messages.ts";

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
    // A time outside the range of RFC 3339, or a number that JSON does not have.
    const problem = { field: "", code: "JSON", message: "has a value that JSON cannot express" };
    throw new DomainError("CLICK_VALIDATION_FAILED", { details: [problem], cause: error });
  }
}

/** The body that the REST API would have received: a key used over both is the same request over both. */
export function acceptBody(request: AcceptRequest): JsonObject {
  const { idempotencyKey: _, observed: __, ...body } = toJson(AcceptRequestSchema, request) as JsonObject;
  // The JSON form of a message leaves out what is false.
  const purposes = request.purposes.map(({ purpose, granted }) => ({ purpose, granted }));
  return purposes.length === 0 ? body : { ...body, purposes };
}
