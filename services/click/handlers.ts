import { ClickService, EvidenceAdminService, EvidenceLogService } from "#gen/assent/click/v1/click_pb.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { accept, acceptBatch } from "./accept/accept.ts";
import { getConsentState } from "./consent/consent-state.ts";
import { updateConsentState } from "./consent/update-consent-state.ts";
import type { ClickDeps } from "./deps.ts";
import { getEvidenceBundle, getReceipt, openRestrictedEvidence, verifyReceipt } from "./evidence/evidence-handlers.ts";
import { listEvidenceKeys, listSigningKeys, revokeSigningKey, rotateSigningKey } from "./keys/signing-key-handlers.ts";
import { getCheckpoint, getConsistencyProof, getInclusionProof, getLogTile, recordExternalHead } from "./log/log.ts";
import { eraseUser, listAcceptances } from "./receipts/acceptances.ts";
import { authenticateRenderToken, render } from "./render/render.ts";
import { completeSession } from "./sessions/complete-session.ts";
import { createSession } from "./sessions/create-session.ts";
import { appendSessionEvents, cancelSession, getSession } from "./sessions/sessions.ts";
import { getActivity, getTemplateStats } from "./stats/stats.ts";

/** Called by operators, on the admin port only. */
export const evidenceAdminRoutes =
  (deps: Pick<ClickDeps, "renderKeys" | "receiptKeys" | "logKeys">): RpcRoutes =>
  (router) => {
    router.service(EvidenceAdminService, {
      ...listSigningKeys(deps),
      ...rotateSigningKey(deps),
      ...revokeSigningKey(deps),
    });
  };

/** Called by the gateway and by other services. */
export const clickRoutes =
  (deps: ClickDeps): RpcRoutes =>
  (router) => {
    router.service(ClickService, {
      ...createSession(deps),
      ...getSession(deps),
      ...completeSession(deps),
      ...accept(deps),
      ...acceptBatch(deps),
      ...getReceipt(deps),
      ...getEvidenceBundle(deps),
      ...verifyReceipt(deps),
      ...render(deps),
      ...authenticateRenderToken(deps),
      ...getTemplateStats(deps),
      ...getActivity(deps),
      ...cancelSession(deps),
      ...appendSessionEvents(deps),
      ...listAcceptances(deps),
      ...getConsentState(deps),
      ...updateConsentState(deps),
      ...listEvidenceKeys(deps),
      ...getCheckpoint(deps),
      ...getInclusionProof(deps),
      ...getConsistencyProof(deps),
      ...getLogTile(deps),
      ...eraseUser(deps),
      ...openRestrictedEvidence(deps),
    });
    router.service(EvidenceLogService, recordExternalHead(deps));
  };
