import type { Pool } from "pg";
import { createOrm } from "#platform/db/orm.ts";
import type { PoolOptions } from "#platform/db/pool.ts";
import { ApiKeyEntity } from "./api-key.entity.ts";
import { OAuthClientEntity } from "./oauth-client.entity.ts";
import { OAuthClientKeyEntity } from "./oauth-client-key.entity.ts";
import { OrganizationEntity } from "./organization.entity.ts";

/** Management data: read and written one organization at a time. */
export const createAuthOrm = (options: PoolOptions & { readonly onPool?: (pool: Pool) => void }) =>
  createOrm({
    ...options,
    schema: "auth",
    entities: [OrganizationEntity, ApiKeyEntity, OAuthClientEntity, OAuthClientKeyEntity],
  });

export type AuthOrm = ReturnType<typeof createAuthOrm>;
export type AuthEntityManager = AuthOrm["em"];
