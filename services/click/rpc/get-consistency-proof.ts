import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService, GetConsistencyProofRequest } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { findNewestCheckpoint } from "../store/tree-store.ts";
import type { ClickDeps } from "./deps.ts";

export const getConsistencyProof = ({
  pool,
  proofs,
}: Pick<ClickDeps, "pool" | "proofs">): Pick<ServiceImpl<typeof ClickService>, "getConsistencyProof"> => ({
  async getConsistencyProof(request, context) {
    const { orgId } = requireCaller(context);
    const newest = await withOrg(pool, orgId, (client) => findNewestCheckpoint(orgId, client));
    const details = problemsOf(request, newest?.size ?? 0);
    if (details.length > 0) throw new DomainError("CLICK_VALIDATION_FAILED", { details });
    const { from, to } = request;
    const path = await proofs.consistency(orgId, Number(from), Number(to));
    return { from, to, path: [...path] };
  },
});

function problemsOf({ from, to }: GetConsistencyProofRequest, published: number): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (from > to) problems.push({ field: "from", code: "MAXIMUM", message: "must not be larger than to" });
  if (to > published) {
    const message = `must not be larger than the newest checkpoint's size, ${published}`;
    problems.push({ field: "to", code: "MAXIMUM", message });
  }
  return problems;
}
