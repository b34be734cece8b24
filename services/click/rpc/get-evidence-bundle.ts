import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import type { AcceptanceEvidence } from "../domain/acceptance-evidence.ts";
import { buildBundle } from "../domain/evidence-bundle.ts";
import type { Receipt } from "../domain/receipt.ts";
import { parseTerms } from "../domain/terms.ts";
import type { StoredAcceptance } from "../store/acceptance-store.ts";
import { findText } from "../store/content-store.ts";
import type { ClickDeps } from "./deps.ts";
import { readSession } from "./read-session.ts";

export const getEvidenceBundle = ({
  pool,
  clock,
  newId,
}: Pick<ClickDeps, "pool" | "clock" | "newId">): Pick<ServiceImpl<typeof ClickService>, "getEvidenceBundle"> => ({
  async getEvidenceBundle({ sessionId }, context) {
    const { orgId } = requireCaller(context);
    if (!isUuid(sessionId)) throw new DomainError("CLICK_EVIDENCE_NOT_FOUND");
    const generatedAt = clock.now();
    const { found, text } = await withOrg(pool, orgId, async (client) => {
      const session = await readSession(orgId, client, sessionId, generatedAt);
      return { found: session, text: session && (await findText(orgId, client, session.view)) };
    });
    if (found === undefined) throw new DomainError("CLICK_EVIDENCE_NOT_FOUND");
    if (text === undefined) throw new Error("the text of a session is not stored");
    const { terms, policyHash } = parseTerms(found.terms);
    const bundle = buildBundle({
      bundleId: newId(),
      generatedAt,
      session: found.view,
      reason: found.reason,
      sessionContext: found.context,
      receipts: found.acceptances.map(parseAcceptance),
      terms,
      policyHash,
      text,
    });
    return { bundleJson: JSON.stringify(bundle) };
  },
});

const parseAcceptance = ({ receipt, evidence }: StoredAcceptance) => ({
  receipt: JSON.parse(receipt) as Receipt,
  evidence: JSON.parse(evidence) as AcceptanceEvidence,
});
