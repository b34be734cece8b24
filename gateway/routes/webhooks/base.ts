import { standardDialect } from "../../http/error-dialect.ts";
import { type PageQuery, pageLimit } from "../pages.ts";
import { type ProtectedAccess, queryOf } from "../route.ts";
import { text } from "../schema-parts.ts";

/** What all operations on webhooks share. */
export const webhooksBase = { tag: "Webhooks", dialect: standardDialect } as const;

export const read: ProtectedAccess = { scopes: ["webhooks:read"], limitGroup: "other" };
export const write: ProtectedAccess = { scopes: ["webhooks:write"], limitGroup: "other" };

export const ofEndpoint = { id: "WEBHOOK_ENDPOINT_NOT_FOUND" } as const;
export const ofDelivery = { id: "WEBHOOK_DELIVERY_NOT_FOUND" } as const;

/** Which part of a list is wanted. */
export const pageQuery = queryOf<PageQuery>({
  limit: pageLimit,
  cursor: text(1, 200, "X-Next-Cursor of the previous page."),
});
