import { LockMode } from "@mikro-orm/core";
import { type ClientKey, maxLivingKeys } from "../domain/client-key.ts";
import { type AuditOf, addAuditWith } from "./audit-store.ts";
import { lockClient } from "./oauth-client-store.ts";
import { type AuthTenant, OAuthClientEntity, type OAuthClientKey, OAuthClientKeyEntity } from "./orm.ts";

export type AddedClientKey =
  /** Added now, or before by the same call. */
  { readonly kind: "added"; readonly key: OAuthClientKey } | { readonly kind: "no-client" | "too-many" | "revoked" };

/** Adds a key to a client that is not revoked. */
export async function insertClientKey(
  tenant: AuthTenant,
  clientId: string,
  values: ClientKey,
  now: Date,
  audit: AuditOf,
): Promise<AddedClientKey> {
  // Locked, so that concurrent calls count each other's keys.
  const client = await lockClient(tenant, clientId);
  if (client === null || client.revokedAt !== null) return { kind: "no-client" };
  const keys = await tenant.em.find(OAuthClientKeyEntity, { organizationId: tenant.orgId, clientId });
  const known = keys.find((key) => key.keyId === values.keyId);
  if (known !== undefined) return known.revokedAt === null ? { kind: "added", key: known } : { kind: "revoked" };
  if (keys.filter((key) => key.revokedAt === null).length >= maxLivingKeys) return { kind: "too-many" };
  await addAuditWith(tenant, audit("client-key.added", { id: values.keyId, name: client.name }));
  const key = tenant.em.create(OAuthClientKeyEntity, {
    organizationId: tenant.orgId,
    clientId,
    ...values,
    createdAt: now,
  });
  return { kind: "added", key };
}

/** Newest first. Undefined when the organization has no such client. */
export async function listClientKeys(
  { orgId, em }: AuthTenant,
  clientId: string,
): Promise<OAuthClientKey[] | undefined> {
  if ((await em.findOne(OAuthClientEntity, { organizationId: orgId, clientId })) === null) return undefined;
  const orderBy = { createdAt: "desc", keyId: "asc" } as const;
  return em.find(OAuthClientKeyEntity, { organizationId: orgId, clientId }, { orderBy });
}

/** Revokes a key; one that is revoked already stays as it is. Undefined when the organization has no such key. */
export async function revokeClientKey(
  tenant: AuthTenant,
  clientId: string,
  keyId: string,
  now: Date,
  audit: AuditOf,
): Promise<OAuthClientKey | undefined> {
  const key = await tenant.em.findOne(
    OAuthClientKeyEntity,
    { organizationId: tenant.orgId, clientId, keyId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (key === null) return undefined;
  if (key.revokedAt === null) {
    await addAuditWith(tenant, audit("client-key.revoked", { id: keyId, name: "" }));
    key.revokedAt = now;
  }
  return key;
}
