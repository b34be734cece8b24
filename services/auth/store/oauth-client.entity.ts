import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import type { OrgId } from "#platform/ids.ts";

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
