import type { Route } from "../route.ts";
import { actionRoutes } from "./actions.ts";
import { agreementDeletionRoutes, agreementRoutes } from "./agreements.ts";
import { attachmentRoutes } from "./attachments.ts";
import { auditEventRoutes } from "./audit-events.ts";
import { consentTextRoutes } from "./consent-texts.ts";
import { signDocumentRoutes } from "./documents.ts";
import { signFileRoutes } from "./files.ts";
import { recipientRoutes } from "./recipients.ts";
import { signTemplateRoutes } from "./templates.ts";
import { signVerifyRoutes } from "./verify.ts";

/** Agreements that people sign. */
export const signRoutes: readonly Route[] = [
  ...agreementRoutes,
  ...actionRoutes,
  ...recipientRoutes,
  ...signDocumentRoutes,
  ...signFileRoutes,
  ...attachmentRoutes,
  ...auditEventRoutes,
  ...consentTextRoutes,
  ...agreementDeletionRoutes,
  ...signTemplateRoutes,
  ...signVerifyRoutes,
];
