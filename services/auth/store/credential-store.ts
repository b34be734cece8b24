import { LockMode } from "@mikro-orm/core";
import { type AuditOf, addAuditWith } from "./audit-store.ts";
import { recordChange } from "./change-store.ts";
import { requireRoomForCredential } from "./organization-store.ts";
import { type ApiKey, ApiKeyEntity, type AuthTenant, type OAuthClient, OAuthClientEntity } from "./orm.ts";

export interface NewStoredApiKey {
  readonly keyId: string;
  readonly name: string;
  readonly secretHash: Buffer;
  readonly createdAt: Date;
}

export async function insertApiKey(tenant: AuthTenant, values: NewStoredApiKey, audit: AuditOf): Promise<ApiKey> {
  await requireRoomForCredential(tenant);
  await addAuditWith(tenant, audit("api-key.created", { id: values.keyId, name: values.name }));
  return tenant.em.create(ApiKeyEntity, { organizationId: tenant.orgId, ...values });
}

/** Newest first. */
export async function listApiKeys({ orgId, em }: AuthTenant): Promise<ApiKey[]> {
  return em.find(ApiKeyEntity, { organizationId: orgId }, { orderBy: { createdAt: "desc", keyId: "asc" } });
}

/** Revokes a key; one that is revoked already stays as it is. Undefined when the organization has no such key. */
export async function revokeApiKey(
  tenant: AuthTenant,
  { keyId, now }: { readonly keyId: string; readonly now: Date },
  audit: AuditOf,
): Promise<ApiKey | undefined> {
  const key = await tenant.em.findOne(
    ApiKeyEntity,
    { organizationId: tenant.orgId, keyId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (key === null) return undefined;
  if (key.revokedAt === null) {
    key.revokedAt = now;
    await tenant.em.flush();
    await addAuditWith(tenant, audit("api-key.revoked", { id: keyId, name: key.name }));
    await recordChange(tenant.em, "key_revoked", keyId, now);
  }
  return key;
}

export interface NewStoredClient {
  readonly clientId: string;
  readonly name: string;
  readonly scopes: string[];
  readonly secretHash: Buffer;
  readonly createdAt: Date;
}

export async function insertOAuthClient(
  tenant: AuthTenant,
  values: NewStoredClient,
  audit: AuditOf,
): Promise<OAuthClient> {
  await requireRoomForCredential(tenant);
  await addAuditWith(tenant, audit("client.created", { id: values.clientId, name: values.name }));
  return tenant.em.create(OAuthClientEntity, { organizationId: tenant.orgId, ...values });
}

/** Newest first. */
export async function listOAuthClients({ orgId, em }: AuthTenant): Promise<OAuthClient[]> {
  return em.find(OAuthClientEntity, { organizationId: orgId }, { orderBy: { createdAt: "desc", clientId: "asc" } });
}

/** Undefined when the organization has no such client, or has revoked it. */
export async function replaceClientSecret(
  tenant: AuthTenant,
  { clientId, secretHash }: { readonly clientId: string; readonly secretHash: Buffer },
  audit: AuditOf,
): Promise<OAuthClient | undefined> {
  const client = await lockClient(tenant, clientId);
  if (client === null || client.revokedAt !== null) return undefined;
  client.secretHash = secretHash;
  await addAuditWith(tenant, audit("client.secret-rotated", { id: clientId, name: client.name }));
  return client;
}

/** Revokes a client; one that is revoked already stays as it is. Undefined when the organization has no such client. */
export async function revokeOAuthClient(
  tenant: AuthTenant,
  { clientId, now }: { readonly clientId: string; readonly now: Date },
  audit: AuditOf,
): Promise<OAuthClient | undefined> {
  const client = await lockClient(tenant, clientId);
  if (client === null) return undefined;
  if (client.revokedAt === null) {
    client.revokedAt = now;
    await tenant.em.flush();
    await addAuditWith(tenant, audit("client.revoked", { id: clientId, name: client.name }));
    await recordChange(tenant.em, "client_revoked", clientId, now);
  }
  return client;
}

/** Until the transaction ends nobody else changes the client or its keys. */
export const lockClient = ({ orgId, em }: AuthTenant, clientId: string) =>
  em.findOne(OAuthClientEntity, { organizationId: orgId, clientId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
