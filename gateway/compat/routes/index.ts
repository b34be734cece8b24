import { jsonReply } from "../../http/reply.ts";
import type { Route } from "../../routes/route.ts";
import { defineCompatRoute } from "../route.ts";
import { textsAnswer } from "../schema-parts.ts";
import { envelopeRoot } from "../target.ts";
import { compatAccountRoutes } from "./account.ts";
import { compatBrandRoutes } from "./brands.ts";
import { compatBulkEnvelopeRoutes } from "./bulk-envelopes.ts";
import { compatBulkListRoutes } from "./bulk-lists.ts";
import { chunkedUploadRoutes } from "./chunked-uploads.ts";
import { compatConnectRoutes, compatConnectSecretRoutes } from "./connect.ts";
import { compatConnectLogRoutes } from "./connect-logs.ts";
import { customFieldRoutes } from "./custom-fields.ts";
import { docGenFieldRoutes } from "./doc-gen-fields.ts";
import { documentRoutes } from "./documents.ts";
import { compatEnvelopeListRoutes } from "./envelope-lists.ts";
import { compatEnvelopePartRoutes } from "./envelope-parts.ts";
import { compatEnvelopeRoutes } from "./envelopes.ts";
import { compatFolderRoutes } from "./folders.ts";
import { compatLockRoutes } from "./locks.ts";
import { recipientTabRoutes } from "./recipient-tabs.ts";
import { envelopes, recipientRoutes, templates } from "./recipients.ts";
import { compatTemplatePartRoutes, compatTemplateRoutes } from "./templates.ts";
import { compatViewRoutes } from "./views.ts";
import { compatWorkflowRoutes } from "./workflow.ts";

/** What integrations look up before they offer a feature. The same for every account. */
const settings = {
  accountDefaultLanguage: "en",
  adoptSigConfig: "true",
  allowBulkSend: "true",
  allowConnectSendFinishLater: "true",
  allowDelayedRouting: "true",
  allowDocumentVisibility: "true",
  allowEnvelopeCorrect: "false",
  allowEnvelopeCustomFields: "true",
  allowInPerson: "true",
  allowMarkup: "false",
  allowOfflineSigning: "false",
  allowPaymentProcessing: "false",
  allowPhoneAuthentication: "false",
  allowReminders: "true",
  allowRemoteNotary: "false",
  allowSMSDelivery: "false",
  allowScheduledSending: "true",
  allowSendToCertifiedDelivery: "true",
  allowSendToIntermediary: "false",
  allowServerTemplates: "true",
  allowSignerReassign: "false",
  allowSigningGroups: "false",
  attachCompletedEnvelope: "false",
  bulkSend: "true",
  bulkSendMaxCopiesInBatch: "1000",
  canSelfBrandSend: "true",
  canSelfBrandSign: "true",
  conditionalFieldsEnabled: "true",
  convertPdfFields: "true",
  documentConversionRestrictions: "allow_pdf_only",
  enablePowerForm: "false",
  enableSMSAuthentication: "false",
  enableScheduledRelease: "false",
  enableSendToAgent: "false",
  enableSignOnPaper: "false",
  enableSignerAttachments: "true",
  enableWitnessing: "false",
  idCheckRequired: "never",
  ignoreErrorIfAnchorTabNotFound: "false",
  inPersonSigningEnabled: "true",
  inSessionEnabled: "true",
  readOnlyMode: "false",
  requireDeclineReason: "false",
  sendToCertifiedDeliveryEnabled: "true",
  setRecipEmailLang: "true",
  setRecipSignLang: "true",
  signerAttachCertificateToEnvelopePDF: "false",
  signerCanSignOnMobile: "true",
  signingSessionTimeout: "60",
  useConsumerDisclosure: "true",
  usesAPI: "true",
  waterMarkEnabled: "false",
} as const;

const compatAccountSettingRoutes: readonly Route[] = [
  defineCompatRoute({
    tag: "Compatible account",
    scopes: ["sign:read"],
    operationId: "compatGetAccountSettings",
    method: "GET",
    path: "/settings",
    summary: "Read the settings of the account",
    description:
      "What this installation supports, under the names that integrations look for. `documentConversionRestrictions` is `allow_pdf_only` where Office files and pictures are refused, although HTML and text are accepted there too. You can't change the settings.",
    success: { status: 200, description: "The settings.", schema: textsAnswer(settings, {}, Object.keys(settings)) },
    errors: [],
    call: (_request, { sign }) => sign.listDocumentFormats({}),
    respond: ({ extensions }) =>
      jsonReply(200, {
        ...settings,
        documentConversionRestrictions: extensions.includes("docx") ? "no_restrictions" : "allow_pdf_only",
      }),
  }),
];

/** All routes of the DocuSign-compatible interface. */
export const compatRoutes: readonly Route[] = [
  ...compatEnvelopeRoutes,
  ...compatEnvelopeListRoutes,
  ...compatEnvelopePartRoutes,
  ...compatLockRoutes,
  ...customFieldRoutes(envelopes),
  ...compatWorkflowRoutes,
  ...recipientRoutes(envelopes),
  ...recipientTabRoutes(envelopes),
  ...documentRoutes(envelopeRoot),
  ...chunkedUploadRoutes,
  ...docGenFieldRoutes,
  ...compatViewRoutes,
  ...compatTemplateRoutes,
  ...compatTemplatePartRoutes,
  ...recipientRoutes(templates),
  ...recipientTabRoutes(templates),
  ...compatFolderRoutes,
  ...compatBulkListRoutes,
  ...compatBulkEnvelopeRoutes,
  ...compatConnectRoutes,
  ...compatConnectSecretRoutes,
  ...compatConnectLogRoutes,
  ...compatAccountRoutes,
  ...compatBrandRoutes,
  ...compatAccountSettingRoutes,
];
