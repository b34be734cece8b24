import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import type { JWK } from "jose";
import type { Pool } from "pg";
import { createOrm, type OrmTenant } from "#platform/db/orm.ts";
import type { PoolOptions } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { AssertionAlgorithm } from "../domain/oauth-client.ts";
import type { Plan } from "../domain/organization.ts";

/** Management data: read and written one organization at a time. */
export const createAuthOrm = (options: PoolOptions & { readonly onPool?: (pool: Pool) => void }) =>
  createOrm({
    ...options,
    schema: "auth",
    entities: [OrganizationEntity, ApiKeyEntity, OAuthClientEntity, OAuthClientKeyEntity],
  });

export type AuthOrm = ReturnType<typeof createAuthOrm>;
export type AuthEntityManager = AuthOrm["em"];
export type AuthTenant = OrmTenant<AuthEntityManager>;

export const ApiKeyEntity = defineEntity({
  name: "ApiKey",
  tableName: "api_key",
  properties: {
    organizationId: p.uuid().$type<OrgId>().primary(),
    keyId: p.text().primary(),
    name: p.text(),
    secretHash: p.blob(),
    createdAt: p.datetime(),
    revokedAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
  },
});

export type ApiKey = InferEntity<typeof ApiKeyEntity>;

export const OAuthClientKeyEntity = defineEntity({
  name: "OAuthClientKey",
  tableName: "oauth_client_key",
  properties: {
    organizationId: p.uuid().$type<OrgId>().primary(),
    clientId: p.text().primary(),
    keyId: p.text().primary(),
    algorithm: p.text().$type<AssertionAlgorithm>(),
    publicJwk: p.json().$type<JWK>(),
    createdAt: p.datetime(),
    revokedAt: p.datetime().nullable(),
  },
});

export type OAuthClientKey = InferEntity<typeof OAuthClientKeyEntity>;

export const OAuthClientEntity = defineEntity({
  name: "OAuthClient",
  tableName: "oauth_client",
  properties: {
    organizationId: p.uuid().$type<OrgId>().primary(),
    clientId: p.text().primary(),
    name: p.text(),
    scopes: p.array(),
    secretHash: p.blob(),
    createdAt: p.datetime(),
    revokedAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
  },
});

export type OAuthClient = InferEntity<typeof OAuthClientEntity>;

export const OrganizationEntity = defineEntity({
  name: "Organization",
  tableName: "organization",
  properties: {
    organizationId: p.uuid().$type<OrgId>().primary(),
    name: p.text(),
    plan: p.text().$type<Plan>(),
    sandbox: p.boolean(),
    limitAccept: p.integer().nullable(),
    limitRender: p.integer().nullable(),
    limitOther: p.integer().nullable(),
    limitSign: p.integer().nullable(),
    sharedAccept: p.integer().nullable(),
    sharedRender: p.integer().nullable(),
    sharedOther: p.integer().nullable(),
    sharedSign: p.integer().nullable(),
    maxCredentials: p.integer().nullable(),
    locale: p.text(),
    timeZone: p.text(),
    envelopeCorrections: p.boolean(),
    createdAt: p.datetime(),
    closedAt: p.datetime().nullable(),
    suspendedAt: p.datetime().nullable(),
    suspensionReason: p.text().nullable(),
  },
});

export type Organization = InferEntity<typeof OrganizationEntity>;
