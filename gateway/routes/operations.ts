import type { JsonSchema } from "#api/kinds.ts";
import type { ErrorCode } from "#platform/errors.ts";
import { allRoutes } from "./index.ts";
import { isForPeople, type Method, paramsOf, type Route, type TextParam } from "./route.ts";

/** What a path parameter names. */
export type ResourceName =
  | "template"
  | "version"
  | "session"
  | "receipt"
  | "deployment"
  | "campaign"
  | "genTemplate"
  | "genAsset"
  | "genDocument"
  | "batch"
  | "agreement"
  | "attachment"
  | "signTemplate"
  | "brand"
  | "senderDomain"
  | "pageHost"
  | "webhookEndpoint"
  | "webhookDelivery"
  /** Parameters that are no ids: as their rows call them. */
  | (string & {});

/** One operation, as programs that go through all of them need it. */
export interface Operation {
  readonly operationId: string;
  readonly method: Method;
  readonly path: string;
  /** Empty for operations that need no credential. */
  readonly scopes: readonly string[];
  /** Whether only people who are signed in to the dashboard may call it. */
  readonly isForPeople: boolean;
  /** In the order of the path. */
  readonly pathParams: readonly { readonly name: string; readonly resource: ResourceName }[];
  /** Query parameters that are ids. */
  readonly queryIds: readonly string[];
  /** Where a body has ids: `templateId`, `purposes[].templateId`. */
  readonly bodyIds: readonly string[];
  readonly needsIdempotencyKey: boolean;
  /** A body that the operation understands; undefined when it has none. */
  readonly exampleBody: unknown;
}

/** What an answer says is missing tells what the parameter names. */
const resources: Readonly<Partial<Record<ErrorCode, ResourceName>>> = {
  CLICK_TEMPLATE_NOT_FOUND: "template",
  CLICK_VERSION_NOT_FOUND: "version",
  CLICK_SESSION_NOT_FOUND: "session",
  CLICK_EVIDENCE_NOT_FOUND: "session",
  CLICK_RECEIPT_NOT_FOUND: "receipt",
  CLICK_DEPLOYMENT_NOT_FOUND: "deployment",
  CLICK_CAMPAIGN_NOT_FOUND: "campaign",
  GEN_TEMPLATE_NOT_FOUND: "genTemplate",
  GEN_ASSET_NOT_FOUND: "genAsset",
  GEN_DOCUMENT_NOT_FOUND: "genDocument",
  GEN_BATCH_NOT_FOUND: "batch",
  ENVELOPE_NOT_FOUND: "agreement",
  ATTACHMENT_NOT_FOUND: "attachment",
  LEGAL_HOLD_NOT_FOUND: "legalHold",
  ERASURE_NOT_FOUND: "erasure",
  EXPORT_NOT_FOUND: "export",
  EXPORT_SCHEDULE_NOT_FOUND: "exportSchedule",
  TEMPLATE_NOT_FOUND: "signTemplate",
  BRAND_NOT_FOUND: "brand",
  SENDER_DOMAIN_NOT_FOUND: "senderDomain",
  PAGE_HOST_NOT_FOUND: "pageHost",
  UPLOAD_NOT_FOUND: "upload",
  BULK_LIST_NOT_FOUND: "bulkList",
  BULK_BATCH_NOT_FOUND: "bulkBatch",
  USER_NOT_FOUND: "member",
  USER_SESSION_NOT_FOUND: "userSession",
  PASSKEY_NOT_FOUND: "passkey",
  WEBHOOK_ENDPOINT_NOT_FOUND: "webhookEndpoint",
  WEBHOOK_DELIVERY_NOT_FOUND: "webhookDelivery",
  CONNECT_SECRET_NOT_FOUND: "connectSecret",
};

const operationOf = (route: Route): Operation => ({
  operationId: route.operationId,
  method: route.method,
  path: route.path,
  scopes: route.access === "public" ? [] : route.access.scopes,
  isForPeople: isForPeople(route),
  pathParams: paramsOf(route.path).map((name) => ({ name, resource: resourceOf(name, route) })),
  queryIds: Object.entries(route.query?.properties ?? {}).flatMap(([name, schema]) => (isId(schema) ? [name] : [])),
  bodyIds: route.body === undefined ? [] : idsIn(route.body.schema, ""),
  needsIdempotencyKey: route.idempotencyKey === "required",
  exampleBody: route.body?.example,
});

function resourceOf(name: string, { operationId, notFound = {}, texts = {} }: Route): ResourceName {
  const code = (notFound as Readonly<Record<string, ErrorCode>>)[name];
  const resource = code === undefined ? (texts as Readonly<Record<string, TextParam>>)[name]?.names : resources[code];
  if (resource === undefined) throw new Error(`nothing says what ${name} of ${operationId} names`);
  return resource;
}

const isId = ({ format }: JsonSchema): boolean => format === "uuid";

function idsIn(schema: JsonSchema, path: string): string[] {
  if (isId(schema)) return [path];
  const { properties = {}, items } = schema as { properties?: Record<string, JsonSchema>; items?: JsonSchema };
  const inProperties = Object.entries(properties).flatMap(([name, property]) =>
    idsIn(property, path === "" ? name : `${path}.${name}`),
  );
  return [...inProperties, ...(items === undefined ? [] : idsIn(items, `${path}[]`))];
}

/** Every operation of the API, for programs such as those that prove that organizations do not see each other. */
export const operations: readonly Operation[] = allRoutes.map(operationOf);
