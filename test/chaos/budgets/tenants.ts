import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import type { AdminClient } from "../../../dev/demo.ts";
import { allRoutes } from "../../../gateway/routes/index.ts";
import { Api } from "../../support/api.ts";
import { bodyOf } from "../../support/journeys.ts";

export const groups = ["accept", "render", "other", "sign"] as const;
export type Group = (typeof groups)[number];
export type Limits = Readonly<Record<Group, number>>;

/** One client with everything that it may authenticate with. */
export interface Client {
  /** As buckets are named. */
  readonly id: string;
  readonly tenant: Tenant;
  readonly tokens: readonly string[];
  /** A token that may read alone; API keys have none. */
  readonly readOnly: string | undefined;
}

export interface Tenant {
  readonly organizationId: string;
  readonly limits: Limits;
  readonly templateSlug: string;
  readonly sessionId: string;
}

export interface Tenants {
  readonly clients: readonly Client[];
  readonly tenants: readonly Tenant[];
  /** The buckets of the key that made the templates. */
  readonly otherBuckets: readonly string[];
}

/** The operation that counts as signing. */
export const userinfo = allRoutes.find(({ path, access }) => path === "/oauth/userinfo" && access !== "public");
const signScopes = userinfo === undefined || userinfo.access === "public" ? [] : userinfo.access.scopes;
const allScopes = [...new Set(["click:read", "click:write", "click:accept", ...signScopes.slice(0, 1)])];
const manyTokens = 20;

/** An organization for each of these limits, with two OAuth clients (one with many tokens) and an API key. */
export async function createTenants(admin: AdminClient, baseUrl: string, limits: readonly Limits[]): Promise<Tenants> {
  const made = await Promise.all(limits.map((own, n) => createTenant(admin, baseUrl, `Tenant ${n}`, own)));
  return {
    clients: made.flatMap(({ clients }) => clients),
    tenants: made.map(({ tenant }) => tenant),
    otherBuckets: made.flatMap(({ otherBuckets }) => otherBuckets),
  };
}

async function createTenant(admin: AdminClient, baseUrl: string, name: string, limits: Limits) {
  const { organization } = await admin.createOrganization({ name, plan: Plan.GEN_PRO });
  const organizationId = organization?.id ?? "";
  // Before anybody asks for them.
  await admin.setOrganizationLimits({ organizationId, limits });
  const makes = await admin.createApiKey({ organizationId, name: "makes templates" });
  const api = new Api(baseUrl, makes.apiKey, organizationId);
  const { slug } = await api.publishTemplate();
  const session = bodyOf(201, await api.post("/v1/click/sessions", { templateSlug: slug, userRef: "reader" }));
  const tenant: Tenant = { organizationId, limits, templateSlug: slug, sessionId: session.id };
  const key = await admin.createApiKey({ organizationId, name: "calls" });
  const clients: Client[] = [
    await createOAuthClient(admin, api, tenant, manyTokens),
    await createOAuthClient(admin, api, tenant, 1),
    { id: key.key?.id ?? "", tenant, tokens: [key.apiKey], readOnly: undefined },
  ];
  return {
    ...{ tenant, clients },
    otherBuckets: groups.flatMap((group) => [`${makes.key?.id} ${group}`, `organization ${organizationId} ${group}`]),
  };
}

async function createOAuthClient(admin: AdminClient, api: Api, tenant: Tenant, tokens: number): Promise<Client> {
  const { organizationId } = tenant;
  const { client, clientSecret } = await admin.createOAuthClient({ organizationId, name: "calls", scopes: allScopes });
  const id = client?.id ?? "";
  const token = async (scopes: readonly string[]): Promise<string> =>
    bodyOf(200, await Api.fetchToken(api.baseUrl, id, clientSecret, scopes.join(" "))).access_token;
  return {
    id,
    tenant,
    tokens: await Promise.all(Array.from({ length: tokens }, () => token(allScopes))),
    readOnly: await token(["click:read"]),
  };
}
