import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import type { JWK } from "jose";
import type { OrgId } from "#platform/ids.ts";
import type { AssertionAlgorithm } from "../domain/client-key.ts";

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
