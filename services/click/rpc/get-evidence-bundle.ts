import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { withholdPersonal } from "../domain/evidence-withheld.ts";
import { collectEvidence } from "../evidence/collect-evidence.ts";
import type { EvidenceDeps } from "../evidence/evidence-deps.ts";
import { makeArchive } from "../evidence/make-archive.ts";
import { writeBundle } from "../evidence/write-bundle.ts";
import type { ClickDeps } from "./deps.ts";

type Deps = EvidenceDeps & Pick<ClickDeps, "clock" | "newId" | "tsaCertificates" | "evidencePrinter">;

export const getEvidenceBundle = (deps: Deps): Pick<ServiceImpl<typeof ClickService>, "getEvidenceBundle"> => ({
  async getEvidenceBundle({ sessionId, undisclosed, archive, pdf }, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const request = { sessionId, openRestricted: false, generatedAt: deps.clock.now() };
    const evidence = isUuid(sessionId) ? await collectEvidence(deps, orgId, request) : undefined;
    if (evidence === undefined) throw new DomainError("CLICK_EVIDENCE_NOT_FOUND");
    const shown = undisclosed ? withholdPersonal(evidence) : evidence;
    const bundle = await writeBundle(deps, shown, { bundleId: deps.newId(), disclosed: !undisclosed });
    if (pdf) return { pdf: await deps.evidencePrinter.print(caller, shown, bundle) };
    return archive ? { archive: await makeArchive(deps, shown, bundle) } : { bundleJson: bundle.json };
  },
});
