import {
  agreementChanges,
  documentInput,
  newAgreement,
  newSignTemplate,
  signTemplateChanges,
} from "#api/agreement-bodies.ts";
import {
  agreement,
  agreementDocument,
  recipient,
  recipientsInputSchema,
  recipientsSchema,
  signTemplate,
} from "#api/agreements.ts";
import { configuration, templateTypeInfo, verificationSchema } from "#api/configuration.ts";
import { consentChange, consentState } from "#api/consents.ts";
import { evidence } from "#api/evidence.ts";
import { batch, batchItem, genDocument, newDocument } from "#api/generation-documents.ts";
import { genErrorName } from "#api/generation-errors.ts";
import { genTemplate } from "#api/generation-templates.ts";
import type { JsonSchema } from "#api/kinds.ts";
import { consistencyProof, inclusionProof } from "#api/log.ts";
import { apiKey, auditEvent, client, organization } from "#api/organizations.ts";
import { consentReceipt, receipt, verificationResult } from "#api/receipts.ts";
import { rendering } from "#api/renderings.ts";
import { session } from "#api/sessions.ts";
import { stats } from "#api/stats.ts";
import { tab } from "#api/tabs.ts";
import {
  contentReport,
  deployment,
  publication,
  revisionText,
  screenshot,
  template,
  templateFile,
  templateWithVersions,
  version,
  versionDraft,
  versionWithAll,
} from "#api/templates.ts";
import { signedIn, user, userSession } from "#api/users.ts";
import { delivery, endpoint, endpointWithSecret } from "#api/webhooks.ts";
import { type ErrorCode, errorCatalogue } from "#platform/errors.ts";
import { answer, anyObject, anyText, described, object } from "../routes/schema-parts.ts";

/** The body of the errors of document generation. */
export const genErrorSchema: JsonSchema = object(
  {
    code: { type: "string", description: "For programs." },
    message: { type: "string", description: "For people: what is wrong and what to do." },
    details: described(
      anyObject,
      "Facts for programs: `fields` lists bad fields, `path` and `expected` say where data does not fit, `line`, `column` and `errors` where a template is wrong, every 429 has `plan`, `limit`, `windowSeconds` and `retryAfterSeconds`: the plan of the organization, and the window that is used up, which is one of the plan where something is made, and else the minute of the client's requests. `plan` is null where an address is refused before it is known who asks.",
    ),
  },
  ["code", "message", "details"],
);

export const genErrorExample = (code: ErrorCode): Record<string, unknown> => ({
  code: genErrorName(code),
  message: errorCatalogue[code].message,
  details: examples[code] ?? {},
});

const examples: Readonly<Partial<Record<ErrorCode, object>>> = {
  GEN_INVALID_REQUEST: { fields: [{ field: "name", code: "REQUIRED", message: "is required" }] },
  GEN_INVALID_DATA: { path: "/price", expected: "number" },
  GEN_TEMPLATE_ERROR: {
    line: 3,
    column: 12,
    code: "unknown_filter",
    errors: [{ code: "unknown_filter", message: "there is no filter monye", line: 3, column: 12 }],
  },
  GEN_RATE_LIMITED: { plan: "gen_pro", limit: 10, windowSeconds: 60, retryAfterSeconds: 37 },
  GEN_RANGE_NOT_SATISFIABLE: { bytes: 37_920 },
  GEN_RENDER_FAILED: { reason: "too_many_pages", documentId: "01961234-5678-7abc-8def-0123456789ab" },
};

export const errorSchema: JsonSchema = object(
  {
    errorCode: { type: "string", description: "For programs." },
    message: { type: "string", description: "For people: what is wrong and what to do." },
    requestId: { type: "string", description: "For support requests; the same as X-Request-Id." },
    details: {
      type: "array",
      description: "The invalid fields.",
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
  VersionDraft: versionDraft.schemas.answer,
  SaveVersionDraft: versionDraft.schemas.create,
  VersionRevision: revisionText.schemas.answer,
  ContentReport: contentReport.schemas.answer,
  TemplateType: templateTypeInfo.schemas.answer,
  TemplateConfiguration: configuration.schemas.answer,
  VerificationRequirements: verificationSchema,
  TemplateStats: stats.schemas.answer,
  Deployment: deployment.schemas.answer,
  CreateDeployment: deployment.schemas.create,
  UpdateDeployment: deployment.schemas.change,
  Screenshot: screenshot.schemas.answer,
  TemplateFile: templateFile.schemas.answer,
  ConsentReceipt: consentReceipt.schemas.answer,
  ConsentState: consentState.schemas.answer,
  UpdateConsent: consentChange.schemas.create,
  Rendering: rendering.schemas.answer,
  Session: session.schemas.answer,
  Receipt: receipt.schemas.answer,
  EvidenceBundle: evidence.schemas.answer,
  ReceiptVerification: verificationResult.schemas.answer,
  InclusionProof: inclusionProof.schemas.answer,
  ConsistencyProof: consistencyProof.schemas.answer,
  GenerationError: genErrorSchema,
  DocumentTemplate: genTemplate.schemas.answer,
  CreateDocumentTemplate: genTemplate.schemas.create,
  UpdateDocumentTemplate: genTemplate.schemas.change,
  Document: genDocument.schemas.answer,
  CreateDocument: newDocument.schemas.create,
  Batch: batch.schemas.answer,
  BatchItem: batchItem.schemas.answer,
  Agreement: agreement.schemas.answer,
  CreateAgreement: newAgreement.schemas.create,
  UpdateAgreement: agreementChanges.schemas.create,
  AgreementTemplate: signTemplate.schemas.answer,
  CreateAgreementTemplate: newSignTemplate.schemas.create,
  UpdateAgreementTemplate: signTemplateChanges.schemas.create,
  AgreementDocument: agreementDocument.schemas.answer,
  DocumentInput: documentInput.schemas.create,
  Recipient: recipient.schemas.answer,
  Recipients: recipientsSchema,
  RecipientsInput: recipientsInputSchema,
  Tab: tab.schemas.answer,
  TabInput: tab.schemas.create,
  User: user.schemas.answer,
  SignedIn: signedIn.schemas.answer,
  UserSession: userSession.schemas.answer,
  ApiKey: apiKey.schemas.answer,
  OAuthClient: client.schemas.answer,
  Organization: organization.schemas.answer,
  AuditEvent: auditEvent.schemas.answer,
  WebhookEndpoint: endpoint.schemas.answer,
  WebhookEndpointWithSecret: endpointWithSecret.schemas.answer,
  CreateWebhookEndpoint: endpoint.schemas.create,
  UpdateWebhookEndpoint: endpoint.schemas.change,
  WebhookDelivery: delivery.schemas.answer,
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

/** Values that say more than their types do, by the names of properties and parameters. */
const byName: Readonly<Record<string, unknown>> = {
  access_token: "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzY29wZSI6ImNsaWNrOnJlYWQifQ.c2lnbmF0dXJl",
  buttonText: "I agree",
  checkboxText: "I have read and agree to the Terms of service.",
  clientId: "cl_0123456789abcdefABCDEF",
  content: "<p>You may use the service as follows.</p>",
  createdBy: "cl_0123456789abcdefABCDEF",
  cursor: "eyJhZnRlciI6IjAxOTYxMjM0In0",
  decision: "ACCEPT",
  declineText: "I decline",
  deploymentKey: "dep_0123456789abcdefABCDEF",
  description: "An example.",
  expires_in: 3600,
  html: "<p>You may use the service as follows.</p>",
  idempotencyKey: "order-1042-terms",
  key: "dep_0123456789abcdefABCDEF",
  label: "1.0",
  legalName: "Example AG",
  message: "must be at least 1 character",
  method: "CUSTOMER_SESSION",
  mode: "ALL",
  name: "Terms of service",
  noticeText: 'By clicking "I agree" I agree to the Terms of service.',
  origin: "API",
  publishedBy: "cl_0123456789abcdefABCDEF",
  purpose: "marketing_email",
  renderToken: "eyJhbGciOiJFUzI1NiJ9.eyJybmQiOiLigKYifQ.c2lnbmF0dXJl",
  renderUrl:
    "https://api.example.com/v1/click/render/sessions/01961234-5678-7abc-8def-0123456789ab?token=eyJhbGciOiJFUzI1NiJ9.eyJybmQiOiLigKYifQ.c2lnbmF0dXJl",
  requestId: "01961234-5678-7abc-8def-0123456789ab",
  returnUrl: "https://www.example.com/welcome",
  revision: 1,
  scope: "click:read click:write",
  slug: "terms-of-service",
  source: "ACCEPT",
  templateName: "Terms of service",
  templateSlug: "terms-of-service",
  title: "Terms of service",
  token: "eyJhbGciOiJFUzI1NiJ9.eyJybmQiOiLigKYifQ.c2lnbmF0dXJl",
  userRef: "user-42",
  versionLabel: "1.0",
};

const byFormat: Readonly<Record<string, string>> = {
  uuid: "01961234-5678-7abc-8def-0123456789ab",
  date: "2026-11-20",
  "date-time": "2026-11-20T17:00:00.123Z",
  "language-tag": "en",
  email: "ann@example.com",
  "https-url": "https://www.example.com/",
  uri: "https://www.example.com/",
};

const hashExample = `sha256:${"0123456789abcdef".repeat(4)}`;

/** A value that the schema allows; `name` is what it is called where it stands. */
export function exampleOf(schema: JsonSchema, name = ""): unknown {
  const { examples, format } = schema;
  if (Array.isArray(examples)) return examples[0];
  if (Array.isArray(schema.anyOf)) return exampleOf(schema.anyOf[0], name);
  const choices = Array.isArray(schema.enum) ? schema.enum : undefined;
  const known = Object.hasOwn(byName, name) ? byName[name] : undefined;
  if (choices !== undefined) return choices.includes(known) ? known : choices[0];
  if (typeof format === "string") return byFormat[format] ?? "text";
  const type = [schema.type].flat()[0];
  if (type === "string") return typeof known === "string" ? known : textExample(schema);
  if (type === "integer" || type === "number") return typeof known === "number" ? known : (schema.minimum ?? 0);
  if (type === "boolean") return true;
  if (type === "array") return [exampleOf((schema.items ?? {}) as JsonSchema, name)];
  return type === "object" ? objectExample(schema) : {};
}

const textExample = ({ description }: JsonSchema): string =>
  String(description).startsWith("sha256:") ? hashExample : "text";

function objectExample({ properties = {}, additionalProperties }: JsonSchema): Record<string, unknown> {
  const own = Object.entries(properties as Record<string, JsonSchema>).map(
    ([name, property]) => [name, exampleOf(property, name)] as const,
  );
  if (own.length > 0 || typeof additionalProperties !== "object" || additionalProperties === null) {
    return Object.fromEntries(own);
  }
  return { en: exampleOf(additionalProperties as JsonSchema) };
}
