import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import type { OrgId } from "#platform/ids.ts";

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
