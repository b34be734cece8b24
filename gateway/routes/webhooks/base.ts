import { standardDialect } from "../../http/error-dialect.ts";
import type { ProtectedAccess } from "../route.ts";

/** What all operations on webhooks share. */
export const webhooksBase = { tag: "Webhooks", dialect: standardDialect } as const;

export const read: ProtectedAccess = { scopes: ["webhooks:read"], limitGroup: "other" };
export const write: ProtectedAccess = { scopes: ["webhooks:write"], limitGroup: "other" };

export const ofEndpoint = { id: "WEBHOOK_ENDPOINT_NOT_FOUND" } as const;
export const ofDelivery = { id: "WEBHOOK_DELIVERY_NOT_FOUND" } as const;

export interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}
