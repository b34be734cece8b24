import { tab } from "#api/tabs.ts";
import {
  contentReport,
  deployment,
  publication,
  revisionText,
  template,
  templateWithVersions,
  version,
  versionWithAll,
} from "#api/templates.ts";
import { configurationSchema, templateTypeSchema, verificationSchema } from "../routes/configuration-schemas.ts";
import { consentReceiptSchema, consentStateSchema, updateConsentSchema } from "../routes/consent-schemas.ts";
import {
  apiKeySchema,
  auditEventSchema,
  clientSchema,
  organizationSchema,
  signedInSchema,
  userSchema,
  userSessionSchema,
} from "../routes/dashboard/schemas.ts";
import { evidenceSchema, verificationResultSchema } from "../routes/evidence-schemas.ts";
import { batchItemSchema, batchSchema } from "../routes/generation/batch-schemas.ts";
import { createDocumentSchema, documentSchema } from "../routes/generation/document-schemas.ts";
import {
  createGenTemplateSchema,
  genTemplateSchema,
  updateGenTemplateSchema,
} from "../routes/generation/template-schemas.ts";
import { consistencyProofSchema, inclusionProofSchema } from "../routes/log-schemas.ts";
import { receiptSchema } from "../routes/receipt-schemas.ts";
import { renderingSchema } from "../routes/render-schemas.ts";
import type { JsonSchema } from "../routes/route.ts";
import { answer, anyText, object } from "../routes/schema-parts.ts";
import { sessionSchema } from "../routes/session-schemas.ts";
import {
  documentSchema as agreementDocumentSchema,
  agreementSchema,
  createAgreementSchema,
  createSignTemplateSchema,
  documentInput,
  signTemplateSchema,
  updateAgreementSchema,
  updateSignTemplateSchema,
} from "../routes/sign/agreement-schemas.ts";
import { recipientSchema, recipientsInput, recipientsSchema } from "../routes/sign/recipient-schemas.ts";
import { statsSchema } from "../routes/stats-schemas.ts";
import { deliverySchema } from "../routes/webhooks/delivery-schemas.ts";
import {
  createEndpointSchema,
  endpointSchema,
  endpointWithSecretSchema,
  updateEndpointSchema,
} from "../routes/webhooks/endpoint-schemas.ts";
import { genErrorSchema } from "./gen-errors.ts";

export const errorSchema: JsonSchema = object(
  {
    errorCode: { type: "string", description: "For programs." },
    message: { type: "string", description: "For people: what was wrong and what to do." },
    requestId: { type: "string", description: "For support; the same as X-Request-Id." },
    details: {
      type: "array",
      description: "The fields that are not valid.",
      items: answer({ field: anyText, code: anyText, message: anyText }),
    },
  },
  ["errorCode", "message", "requestId"],
);

/** RFC 6749 §5.2. */
export const oauthErrorSchema: JsonSchema = answer({ error: anyText, error_description: anyText });

const named: Readonly<Record<string, JsonSchema>> = {
  Error: errorSchema,
  OAuthError: oauthErrorSchema,
  Template: template.schemas.answer,
  EmbeddingTemplate: templateWithVersions.schemas.answer,
  CreateTemplate: template.schemas.create,
  UpdateTemplate: template.schemas.change,
  Version: version.schemas.answer,
  EmbeddingVersion: versionWithAll.schemas.answer,
  CreateVersion: version.schemas.create,
  UpdateVersion: version.schemas.change,
  PublishVersion: publication.schemas.create,
  VersionRevision: revisionText.schemas.answer,
  ContentReport: contentReport.schemas.answer,
  TemplateType: templateTypeSchema,
  TemplateConfiguration: configurationSchema,
  VerificationRequirements: verificationSchema,
  TemplateStats: statsSchema,
  Deployment: deployment.schemas.answer,
  CreateDeployment: deployment.schemas.create,
  UpdateDeployment: deployment.schemas.change,
  ConsentReceipt: consentReceiptSchema,
  ConsentState: consentStateSchema,
  UpdateConsent: updateConsentSchema,
  Rendering: renderingSchema,
  Session: sessionSchema,
  Receipt: receiptSchema,
  EvidenceBundle: evidenceSchema,
  ReceiptVerification: verificationResultSchema,
  InclusionProof: inclusionProofSchema,
  ConsistencyProof: consistencyProofSchema,
  GenerationError: genErrorSchema,
  DocumentTemplate: genTemplateSchema,
  CreateDocumentTemplate: createGenTemplateSchema,
  UpdateDocumentTemplate: updateGenTemplateSchema,
  Document: documentSchema,
  CreateDocument: createDocumentSchema,
  Batch: batchSchema,
  BatchItem: batchItemSchema,
  Agreement: agreementSchema,
  CreateAgreement: createAgreementSchema,
  UpdateAgreement: updateAgreementSchema,
  AgreementTemplate: signTemplateSchema,
  CreateAgreementTemplate: createSignTemplateSchema,
  UpdateAgreementTemplate: updateSignTemplateSchema,
  AgreementDocument: agreementDocumentSchema,
  DocumentInput: documentInput,
  Recipient: recipientSchema,
  Recipients: recipientsSchema,
  RecipientsInput: recipientsInput,
  Tab: tab.schemas.answer,
  TabInput: tab.schemas.create,
  User: userSchema,
  SignedIn: signedInSchema,
  UserSession: userSessionSchema,
  ApiKey: apiKeySchema,
  OAuthClient: clientSchema,
  Organization: organizationSchema,
  AuditEvent: auditEventSchema,
  WebhookEndpoint: endpointSchema,
  WebhookEndpointWithSecret: endpointWithSecretSchema,
  CreateWebhookEndpoint: createEndpointSchema,
  UpdateWebhookEndpoint: updateEndpointSchema,
  WebhookDelivery: deliverySchema,
};

const names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]));

/** The named schemas as the document holds them. */
export const componentSchemas = (): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, withReferences(schema, true)]));

/** The schema with a reference wherever a named one stands in it. */
export function withReferences(schema: JsonSchema, isDefinition = false): JsonSchema {
  const name = isDefinition ? undefined : names.get(schema);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => keyword !== "$schema")
      .map(([keyword, value]) => [keyword, referValue(value)]),
  );
}

function referValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(referValue);
  return typeof value === "object" && value !== null ? withReferences(value as JsonSchema) : value;
}
