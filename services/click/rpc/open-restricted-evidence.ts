import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { noteOpening } from "../erasure/note-opening.ts";
import { collectEvidence } from "../evidence/collect-evidence.ts";
import { writeBundle } from "../evidence/write-bundle.ts";
import type { ClickDeps } from "./deps.ts";

export const openRestrictedEvidence = (
  deps: ClickDeps,
): Pick<ServiceImpl<typeof ClickService>, "openRestrictedEvidence"> => ({
  async openRestrictedEvidence({ sessionId: name, reason }, context) {
    const caller = requireCaller(context);
    if (!isUuid(name)) throw new DomainError("CLICK_EVIDENCE_NOT_FOUND");
    checkReason(reason);
    const sessionId = name.toLowerCase();
    const now = deps.clock.now();
    const openRestricted = await noteOpening(deps, caller, { sessionId, reason, now });
    const evidence = await collectEvidence(deps, caller.orgId, { sessionId, openRestricted, generatedAt: now });
    if (evidence === undefined) throw new DomainError("CLICK_EVIDENCE_NOT_FOUND");
    const bundle = await writeBundle(deps, evidence, { bundleId: deps.newId(), disclosed: true });
    return { bundleJson: bundle.json };
  },
});

function checkReason(reason: string): void {
  if (!reason.includes("\u0000")) return;
  const problem = { field: "reason", code: "PATTERN", message: "must not have the character U+0000" };
  throw new DomainError("CLICK_VALIDATION_FAILED", { details: [problem] });
}
