import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { type EraseUserDeps, eraseUser as erase } from "../erasure/erase-user.ts";
import { type ErasureReason, erasureReasons } from "../erasure/erasure-leaf.ts";

export const eraseUser = (deps: EraseUserDeps): Pick<ServiceImpl<typeof ClickService>, "eraseUser"> => ({
  async eraseUser({ userRef, reason }, context) {
    const answer = await erase(deps, requireCaller(context), { userRef, reason: readReason(reason) });
    return { erasureJson: JSON.stringify(answer) };
  },
});

function readReason(text: string): ErasureReason {
  const reason = text === "" ? "DATA_SUBJECT_REQUEST" : erasureReasons.find((one) => one === text);
  if (reason !== undefined) return reason;
  const message = `must be one of ${erasureReasons.join(", ")}`;
  throw new DomainError("CLICK_VALIDATION_FAILED", { details: [{ field: "reason", code: "ENUM", message }] });
}
