import { LockMode } from "@mikro-orm/core";
import { withOrgEm } from "#platform/db/orm.ts";
import type { OrgId } from "#platform/ids.ts";
import { type ApiKey, ApiKeyEntity } from "./api-key.entity.ts";
import { recordChange } from "./change-store.ts";
import type { AuthOrm } from "./orm.ts";

export interface NewStoredApiKey {
  readonly keyId: string;
  readonly name: string;
  readonly secretHash: Buffer;
  readonly createdAt: Date;
}

export async function insertApiKey(orm: AuthOrm, orgId: OrgId, values: NewStoredApiKey): Promise<ApiKey> {
  return withOrgEm(orm, orgId, async (em) => em.create(ApiKeyEntity, { organizationId: orgId, ...values }));
}

/** Newest first. */
export async function listApiKeys(orm: AuthOrm, orgId: OrgId): Promise<ApiKey[]> {
  return withOrgEm(orm, orgId, (em) =>
    em.find(ApiKeyEntity, { organizationId: orgId }, { orderBy: { createdAt: "desc", keyId: "asc" } }),
  );
}

/** Revokes a key; one that is revoked already stays as it is. Undefined when the organization has no such key. */
export async function revokeApiKey(orm: AuthOrm, orgId: OrgId, keyId: string, now: Date): Promise<ApiKey | undefined> {
  return withOrgEm(orm, orgId, async (em) => {
    const key = await em.findOne(
      ApiKeyEntity,
      { organizationId: orgId, keyId },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (key === null) return undefined;
    if (key.revokedAt === null) {
      key.revokedAt = now;
      await em.flush();
      await recordChange(em, "key_revoked", keyId, now);
    }
    return key;
  });
}
