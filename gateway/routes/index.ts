import { compatRoutes } from "../compat/routes/index.ts";
import { acceptanceRoutes } from "./acceptances.ts";
import { bulkRoutes, statsRoutes } from "./bulk.ts";
import { campaignRoutes } from "./campaigns.ts";
import { configurationRoutes } from "./configuration.ts";
import { consentRoutes } from "./consent.ts";
import { dashboardRoutes } from "./dashboard/index.ts";
import { deploymentRoutes, revisionRoutes } from "./deployments.ts";
import { embedRoutes } from "./embed.ts";
import { erasureRoutes } from "./erasure.ts";
import { evidenceRoutes } from "./evidence.ts";
import { exportRoutes, exportScheduleRoutes } from "./exports.ts";
import { genRoutes } from "./generation/index.ts";
import { logRoutes } from "./log.ts";
import { mailReportRoutes } from "./mail-reports.ts";
import { noticeRoutes } from "./notices.ts";
import { oauthRoutes } from "./oauth.ts";
import { personErasureRoutes } from "./person-erasures.ts";
import { privacyRoutes } from "./privacy.ts";
import { publishedKeyRoutes } from "./published-keys.ts";
import { renderRoutes } from "./render.ts";
import type { Route } from "./route.ts";
import { screenshotRoutes } from "./screenshots.ts";
import { sessionRoutes } from "./sessions.ts";
import { signRoutes } from "./sign/index.ts";
import { signingRoutes } from "./signing.ts";
import { systemRoutes } from "./system.ts";
import { templateFileRoutes } from "./template-files.ts";
import { templateRoutes } from "./templates.ts";
import { verifyDocumentRoutes, verifyRoutes } from "./verify.ts";
import { versionRoutes } from "./versions.ts";
import { webhookRoutes } from "./webhooks/index.ts";

/** Every operation of the API. */
export const allRoutes: readonly Route[] = [
  ...oauthRoutes,
  ...templateRoutes,
  ...bulkRoutes,
  ...statsRoutes,
  ...configurationRoutes,
  ...versionRoutes,
  ...revisionRoutes,
  ...deploymentRoutes,
  ...screenshotRoutes,
  ...templateFileRoutes,
  ...sessionRoutes,
  ...acceptanceRoutes,
  ...evidenceRoutes,
  ...erasureRoutes,
  ...logRoutes,
  ...publishedKeyRoutes,
  ...verifyRoutes,
  ...consentRoutes,
  ...campaignRoutes,
  ...renderRoutes,
  ...embedRoutes,
  ...genRoutes,
  ...signRoutes,
  ...privacyRoutes,
  ...personErasureRoutes,
  ...exportRoutes,
  ...exportScheduleRoutes,
  ...verifyDocumentRoutes,
  ...signingRoutes,
  ...noticeRoutes,
  ...mailReportRoutes,
  ...webhookRoutes,
  ...compatRoutes,
  ...dashboardRoutes,
  ...systemRoutes,
];
