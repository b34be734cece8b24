import { withOrgEm } from "#platform/db/orm.ts";
import type { OrgId } from "#platform/ids.ts";
import { isApiKeyId } from "../domain/api-key.ts";
import { isClientId } from "../domain/oauth-client.ts";
import { ApiKeyEntity, type AuthEntityManager, type AuthOrm, OAuthClientEntity, OrganizationEntity } from "./orm.ts";

/** An API key or a client, as it may know itself. */
export interface Caller {
  readonly name: string;
  readonly createdAt: Date;
  readonly organizationName: string;
}

/** Undefined when the organization has neither a key nor a client with this id. */
export async function findCaller(orm: AuthOrm, orgId: OrgId, id: string): Promise<Caller | undefined> {
  return withOrgEm(orm, orgId, async (em) => {
    const caller = await findKeyOrClient(em, orgId, id);
    const organization = await em.findOne(OrganizationEntity, { organizationId: orgId });
    if (caller === null || organization === null) return undefined;
    return { name: caller.name, createdAt: caller.createdAt, organizationName: organization.name };
  });
}

async function findKeyOrClient(em: AuthEntityManager, organizationId: OrgId, id: string) {
  if (isClientId(id)) return em.findOne(OAuthClientEntity, { organizationId, clientId: id });
  return isApiKeyId(id) ? em.findOne(ApiKeyEntity, { organizationId, keyId: id }) : null;
}
