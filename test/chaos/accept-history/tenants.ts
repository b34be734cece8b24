import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import type { AdminClient } from "../../../dev/demo.ts";
import { Api } from "../../support/api.ts";
import { bodyOf, consentTemplate, consentText, publishText } from "../../support/journeys.ts";

/** An organization with what the clients accept. */
export interface Tenant {
  readonly organizationId: string;
  readonly api: Api;
  /** Slugs of published STATIC templates. */
  readonly texts: readonly string[];
  /** A published STATIC template with one version, whose text changes when somebody has it changed. */
  readonly changing: { readonly slug: string; readonly versionId: string; readonly path: string };
  /** Slug of a published CONSENT template with the purposes analytics and marketing. */
  readonly consent: string;
  /** Open sessions, each good for one acceptance. */
  readonly sessions: readonly string[];
}

const unreachableLimit = 1_000_000_000;

export async function createTenants(
  admin: AdminClient,
  baseUrl: string,
  options: { readonly tenants: number; readonly sessions: number },
): Promise<Tenant[]> {
  return Promise.all(
    Array.from({ length: options.tenants }, (_, n) => createTenant(admin, baseUrl, `Tenant ${n}`, options.sessions)),
  );
}

async function createTenant(admin: AdminClient, baseUrl: string, name: string, sessions: number): Promise<Tenant> {
  const { organization } = await admin.createOrganization({ name, plan: Plan.GEN_PRO });
  const organizationId = organization?.id ?? "";
  const limits = {
    accept: unreachableLimit,
    render: unreachableLimit,
    other: unreachableLimit,
    sign: unreachableLimit,
  };
  await admin.setOrganizationLimits({ organizationId, limits });
  const { apiKey } = await admin.createApiKey({ organizationId, name: "clients" });
  const api = new Api(baseUrl, apiKey, organizationId);
  const texts = await Promise.all(
    ["Terms", "Privacy notice"].map((title) => publishText(api, { name: title, type: "STATIC" }, "<p>Be kind.</p>")),
  );
  const changing = await publishText(api, { name: "House rules", type: "STATIC" }, "<p>Text 1.</p>");
  const consent = await publishText(api, consentTemplate, consentText);
  return {
    organizationId,
    api,
    texts: texts.map((text) => text.slug),
    changing,
    consent: consent.slug,
    sessions: await openSessions(api, texts[0]?.slug ?? "", sessions),
  };
}

async function openSessions(api: Api, templateSlug: string, count: number): Promise<string[]> {
  const sessions: string[] = [];
  for (let n = 0; n < count; n += 1) {
    sessions.push(bodyOf(201, await api.post("/v1/click/sessions", { templateSlug, userRef: `visitor-${n}` })).id);
  }
  return sessions;
}
