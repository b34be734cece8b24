import type { JsonObject } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService, VerifyReceiptRequest } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import type { GivenReceipt } from "../domain/evidence-receipt.ts";
import { verifyReceipt as verify } from "../evidence/verify-receipt.ts";
import type { ClickDeps } from "./deps.ts";

type Deps = Pick<ClickDeps, "pool" | "vault" | "issuer" | "receiptKeys" | "logKeys" | "proofs" | "clock">;

export const verifyReceipt = (deps: Deps): Pick<ServiceImpl<typeof ClickService>, "verifyReceipt"> => ({
  async verifyReceipt(request, context) {
    const { orgId } = requireCaller(context);
    const { disclosures } = request;
    const checks = await verify(deps, orgId, { ...givenReceipt(request), disclosures, now: deps.clock.now() });
    return { valid: checks.every(({ ok }) => ok), checks };
  },
});

function givenReceipt({ receiptJson, jws }: VerifyReceiptRequest): GivenReceipt {
  if (receiptJson.length > 0 === (jws !== "")) {
    const problem = { field: "receipt", code: "ONE_OF", message: "either the receipt or its jws is required" };
    throw new DomainError("CLICK_VALIDATION_FAILED", { details: [problem] });
  }
  return jws === "" ? { receipt: parseReceipt(receiptJson), jws: undefined } : { receipt: undefined, jws };
}

function parseReceipt(bytes: Uint8Array): JsonObject {
  const value = parseJson(bytes);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  const problem = { field: "receipt", code: "TYPE", message: "must be a JSON object" };
  throw new DomainError("CLICK_VALIDATION_FAILED", { details: [problem] });
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
}
