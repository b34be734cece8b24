import type { Route } from "../../routes/route.ts";
import { envelopeRoot } from "../target.ts";
import { compatAccountRoutes } from "./account.ts";
import { compatAccountSettingRoutes } from "./account-settings.ts";
import { compatBulkBatchRoutes } from "./bulk-batches.ts";
import { compatBulkEnvelopeRoutes } from "./bulk-envelopes.ts";
import { compatBulkListRoutes } from "./bulk-lists.ts";
import { compatConnectRoutes } from "./connect.ts";
import { compatConnectLogRoutes } from "./connect-logs.ts";
import { compatConnectSecretRoutes } from "./connect-secrets.ts";
import { customFieldRoutes } from "./custom-fields.ts";
import { documentRoutes } from "./documents.ts";
import { compatEnvelopeListRoutes } from "./envelope-lists.ts";
import { compatEnvelopePartRoutes } from "./envelope-parts.ts";
import { compatEnvelopeRoutes } from "./envelopes.ts";
import { compatFolderRoutes } from "./folders.ts";
import { recipientTabRoutes } from "./recipient-tabs.ts";
import { envelopes, recipientRoutes, templates } from "./recipients.ts";
import { compatTemplatePartRoutes } from "./template-parts.ts";
import { compatTemplateRoutes } from "./templates.ts";
import { compatViewRoutes } from "./views.ts";

/** All routes of the DocuSign-compatible interface. */
export const compatRoutes: readonly Route[] = [
  ...compatEnvelopeRoutes,
  ...compatEnvelopeListRoutes,
  ...compatEnvelopePartRoutes,
  ...customFieldRoutes(envelopes),
  ...recipientRoutes(envelopes),
  ...recipientTabRoutes(envelopes),
  ...documentRoutes(envelopeRoot),
  ...compatViewRoutes,
  ...compatTemplateRoutes,
  ...compatTemplatePartRoutes,
  ...recipientRoutes(templates),
  ...recipientTabRoutes(templates),
  ...compatFolderRoutes,
  ...compatBulkListRoutes,
  ...compatBulkBatchRoutes,
  ...compatBulkEnvelopeRoutes,
  ...compatConnectRoutes,
  ...compatConnectSecretRoutes,
  ...compatConnectLogRoutes,
  ...compatAccountRoutes,
  ...compatAccountSettingRoutes,
];
