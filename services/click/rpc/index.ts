import { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { accept } from "./accept.ts";
import { acceptBatch } from "./accept-batch.ts";
import { appendSessionEvents } from "./append-session-events.ts";
import { authenticateRenderToken } from "./authenticate-render-token.ts";
import { cancelSession } from "./cancel-session.ts";
import { completeSession } from "./complete-session.ts";
import { createSession } from "./create-session.ts";
import type { ClickDeps } from "./deps.ts";
import { getConsentState } from "./get-consent-state.ts";
import { getEvidenceBundle } from "./get-evidence-bundle.ts";
import { getReceipt } from "./get-receipt.ts";
import { getSession } from "./get-session.ts";
import { getTemplateStats } from "./get-template-stats.ts";
import { listAcceptances } from "./list-acceptances.ts";
import { render } from "./render.ts";
import { reportOutages } from "./report-outages.ts";
import { updateConsentState } from "./update-consent-state.ts";

export const clickRoutes =
  (deps: ClickDeps): RpcRoutes =>
  (router) => {
    router.service(
      ClickService,
      reportOutages({
        ...createSession(deps),
        ...getSession(deps),
        ...completeSession(deps),
        ...accept(deps),
        ...acceptBatch(deps),
        ...getReceipt(deps),
        ...getEvidenceBundle(deps),
        ...render(deps),
        ...authenticateRenderToken(deps),
        ...getTemplateStats(deps),
        ...cancelSession(deps),
        ...appendSessionEvents(deps),
        ...listAcceptances(deps),
        ...getConsentState(deps),
        ...updateConsentState(deps),
      }),
    );
  };
