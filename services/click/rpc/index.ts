import { ClickService, EvidenceAdminService, EvidenceLogService } from "#gen/assent/click/v1/click_pb.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { accept } from "./accept.ts";
import { acceptBatch } from "./accept-batch.ts";
import { appendSessionEvents } from "./append-session-events.ts";
import { authenticateRenderToken } from "./authenticate-render-token.ts";
import { cancelSession } from "./cancel-session.ts";
import { completeSession } from "./complete-session.ts";
import { createSession } from "./create-session.ts";
import type { ClickDeps } from "./deps.ts";
import { eraseUser } from "./erase-user.ts";
import { getActivity } from "./get-activity.ts";
import { getCheckpoint } from "./get-checkpoint.ts";
import { getConsentState } from "./get-consent-state.ts";
import { getConsistencyProof } from "./get-consistency-proof.ts";
import { getEvidenceBundle } from "./get-evidence-bundle.ts";
import { getInclusionProof } from "./get-inclusion-proof.ts";
import { getLogTile } from "./get-log-tile.ts";
import { getReceipt } from "./get-receipt.ts";
import { getSession } from "./get-session.ts";
import { getTemplateStats } from "./get-template-stats.ts";
import { listAcceptances } from "./list-acceptances.ts";
import { listEvidenceKeys } from "./list-evidence-keys.ts";
import { listSigningKeys } from "./list-signing-keys.ts";
import { openRestrictedEvidence } from "./open-restricted-evidence.ts";
import { recordExternalHead } from "./record-external-head.ts";
import { render } from "./render.ts";
import { revokeSigningKey } from "./revoke-signing-key.ts";
import { rotateSigningKey } from "./rotate-signing-key.ts";
import { updateConsentState } from "./update-consent-state.ts";
import { verifyReceipt } from "./verify-receipt.ts";

/** What an operator calls, on the admin port only. */
export const evidenceAdminRoutes =
  (deps: Pick<ClickDeps, "renderKeys" | "receiptKeys" | "logKeys">): RpcRoutes =>
  (router) => {
    router.service(EvidenceAdminService, {
      ...listSigningKeys(deps),
      ...rotateSigningKey(deps),
      ...revokeSigningKey(deps),
    });
  };

/** What the gateway calls, and what other services do. */
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
