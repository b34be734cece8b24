import type { Pool } from "pg";
import { ClickService, EvidenceAdminService, EvidenceLogService } from "#gen/assent/click/v1/click_pb.ts";
import { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { RetentionService } from "#gen/assent/privacy/v1/retention_pb.ts";
import { destruction } from "#platform/destroy-tables.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { accept, acceptBatch } from "./accept/accept-path.ts";
import { campaigns } from "./campaigns/campaigns.ts";
import { listAgreementStates } from "./consent/agreement-states.ts";
import { getConsentState, updateConsentState } from "./consent/update-consent-state.ts";
import type { ClickDeps } from "./deps.ts";
import { mayEraseByTime } from "./erasure/erase-due.ts";
import { retention } from "./erasure/erase-old.ts";
import { personalData } from "./erasure/personal-data.ts";
import { getEvidenceBundle, getReceipt, openRestrictedEvidence, verifyReceipt } from "./evidence/evidence-handlers.ts";
import { exportOrganization } from "./export/export-organization.ts";
import { exportPerson } from "./export/export-person.ts";
import {
  listEvidenceKeys,
  listSigningKeys,
  revokeSigningKey,
  rotateSigningKey,
  signDestruction,
} from "./keys/signing-key-handlers.ts";
import {
  getCheckpoint,
  getConsistencyProof,
  getInclusionProof,
  getLogTile,
  type LogEpochsDeps,
  operateLogs,
  recordExternalHead,
} from "./log/log.ts";
import { eraseUser, listAcceptances } from "./receipts/acceptances.ts";
import { authenticateRenderToken, getSessionPdf, render } from "./render/render.ts";
import { completeSession } from "./sessions/complete-session.ts";
import { createSession } from "./sessions/create-session.ts";
import { appendSessionEvents, cancelSession, getSession } from "./sessions/sessions.ts";
import { getActivity, getTemplateStats } from "./stats/stats.ts";

/** Called by operators, on the admin port only. */
export const evidenceAdminRoutes =
  (deps: Pick<ClickDeps, "renderKeys" | "receiptKeys" | "logKeys"> & LogEpochsDeps): RpcRoutes =>
  (router) => {
    router.service(EvidenceAdminService, {
      ...listSigningKeys(deps),
      ...rotateSigningKey(deps),
      ...revokeSigningKey(deps),
      ...operateLogs(deps),
    });
  };

/** Handlers that add leaves to a log, which must have been compared with its witness before. */
const afterComparison = <T extends object>({ logGuard }: ClickDeps, handlers: T): T =>
  Object.fromEntries(
    Object.entries(handlers).map(([name, handle]) => [
      name,
      async (...call: unknown[]) => {
        await logGuard.passed();
        return handle(...call);
      },
    ]),
  ) as T;

/** Called by the gateway and by other services. */
export const clickRoutes =
  (deps: ClickDeps): RpcRoutes =>
  (router) => {
    router.service(ClickService, {
      ...createSession(deps),
      ...getSession(deps),
      ...afterComparison(deps, { ...completeSession(deps), ...accept(deps), ...acceptBatch(deps) }),
      ...getReceipt(deps),
      ...getEvidenceBundle(deps),
      ...verifyReceipt(deps),
      ...render(deps),
      ...authenticateRenderToken(deps),
      ...getSessionPdf(deps),
      ...getTemplateStats(deps),
      ...getActivity(deps),
      ...cancelSession(deps),
      ...appendSessionEvents(deps),
      ...listAcceptances(deps),
      ...getConsentState(deps),
      ...listAgreementStates(deps),
      ...campaigns(deps),
      ...afterComparison(deps, updateConsentState(deps)),
      ...listEvidenceKeys(deps),
      ...getCheckpoint(deps),
      ...getInclusionProof(deps),
      ...getConsistencyProof(deps),
      ...getLogTile(deps),
      ...afterComparison(deps, { ...eraseUser(deps), ...openRestrictedEvidence(deps) }),
    });
    router.service(EvidenceLogService, {
      ...afterComparison(deps, recordExternalHead(deps)),
      ...signDestruction(deps),
      // Needs no caller.
      mayDeleteByTime: async () => ({ allowed: await mayEraseByTime(deps, ["click", "templates", "sign"]) }),
    });
  };

/** What the auth service asks every service, and what the sign service asks those that keep records. */
export const personalDataRoutes =
  (deps: ClickDeps & { readonly destroyerPool: Pool }): RpcRoutes =>
  (router) => {
    router.service(PersonalDataService, {
      ...afterComparison(deps, personalData(deps)),
      ...exportPerson(deps),
      ...exportOrganization(deps),
      // One of them without the other is taken for a log that contradicts itself.
      ...destruction({ pool: deps.destroyerPool, schema: "click", together: ["log_head", "log_tree"] }),
    });
    router.service(RetentionService, afterComparison(deps, retention(deps)));
  };
