import { LockMode } from "@mikro-orm/core";
import { type AuditOf, addAuditWith } from "./audit-store.ts";
import { recordChange } from "./change-store.ts";
import { requireRoomForCredential } from "./organization-store.ts";
import { type ApiKey, ApiKeyEntity, type AuthTenant } from "./orm.ts";

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
