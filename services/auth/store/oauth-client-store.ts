import { LockMode } from "@mikro-orm/core";
import { withOrgEm, type OrmTenant } from "#platform/db/orm.ts";
import type { OrgId } from "#platform/ids.ts";
import { type AuditOf, addAuditWith } from "./audit-store.ts";
import { recordChange } from "./change-store.ts";
import { type AuthEntityManager, type AuthOrm, type OAuthClient, OAuthClientEntity } from "./orm.ts";

export interface NewStoredClient {
  readonly clientId: string;
  readonly name: string;
  readonly scopes: string[];
  readonly secretHash: Buffer;
  readonly createdAt: Date;
}

export async function insertOAuthClient(
  orm: AuthOrm,
  orgId: OrgId,
  values: NewStoredClient,
  audit: AuditOf,
): Promise<OAuthClient> {
  return withOrgEm(orm, orgId, async (tenant) => {
    await addAuditWith(tenant, audit("client.created", { id: values.clientId, name: values.name }));
    return tenant.em.create(OAuthClientEntity, { organizationId: orgId, ...values });
  });
}

/** Newest first. */
export async function listOAuthClients(orm: AuthOrm, orgId: OrgId): Promise<OAuthClient[]> {
  return withOrgEm(orm, orgId, ({ em }) =>
    em.find(OAuthClientEntity, { organizationId: orgId }, { orderBy: { createdAt: "desc", clientId: "asc" } }),
  );
}

/** Undefined when the organization has no such client, or has revoked it. */
export async function replaceClientSecret(
  orm: AuthOrm,
  orgId: OrgId,
  { clientId, secretHash }: { readonly clientId: string; readonly secretHash: Buffer },
  audit: AuditOf,
): Promise<OAuthClient | undefined> {
  return withOrgEm(orm, orgId, async (tenant) => {
    const client = await lockClient(tenant, clientId);
    if (client === null || client.revokedAt !== null) return undefined;
    client.secretHash = secretHash;
    await addAuditWith(tenant, audit("client.secret-rotated", { id: clientId, name: client.name }));
    return client;
  });
}

/** Revokes a client; one that is revoked already stays as it is. Undefined when the organization has no such client. */
export async function revokeOAuthClient(
  orm: AuthOrm,
  orgId: OrgId,
  { clientId, now }: { readonly clientId: string; readonly now: Date },
  audit: AuditOf,
): Promise<OAuthClient | undefined> {
  return withOrgEm(orm, orgId, async (tenant) => {
    const client = await lockClient(tenant, clientId);
    if (client === null) return undefined;
    if (client.revokedAt === null) {
      client.revokedAt = now;
      await tenant.em.flush();
      await addAuditWith(tenant, audit("client.revoked", { id: clientId, name: client.name }));
      await recordChange(tenant.em, "client_revoked", clientId, now);
    }
    return client;
  });
}

/** Until the transaction ends nobody else changes the client or its keys. */
export const lockClient = ({ orgId, em }: OrmTenant, clientId: string) =>
  em.findOne(OAuthClientEntity, { organizationId: orgId, clientId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
