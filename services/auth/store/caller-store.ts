import { isApiKeyId } from "../domain/api-key.ts";
import { isClientId } from "../domain/oauth-client.ts";
import { ApiKeyEntity, type AuthTenant, OAuthClientEntity, OrganizationEntity } from "./orm.ts";

/** An API key or a client, as it may know itself. */
export interface Caller {
  readonly name: string;
  readonly createdAt: Date;
  readonly organizationName: string;
}

/** Undefined when the organization has neither a key nor a client with this id. */
export async function findCaller(tenant: AuthTenant, id: string): Promise<Caller | undefined> {
  const caller = await findKeyOrClient(tenant, id);
  const organization = await tenant.em.findOne(OrganizationEntity, { organizationId: tenant.orgId });
  if (caller === null || organization === null) return undefined;
  return { name: caller.name, createdAt: caller.createdAt, organizationName: organization.name };
}

async function findKeyOrClient({ orgId: organizationId, em }: AuthTenant, id: string) {
  if (isClientId(id)) return em.findOne(OAuthClientEntity, { organizationId, clientId: id });
  return isApiKeyId(id) ? em.findOne(ApiKeyEntity, { organizationId, keyId: id }) : null;
}
