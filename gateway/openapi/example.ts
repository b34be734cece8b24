import type { JsonSchema } from "../routes/route.ts";

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
  description: "What we agree on.",
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
