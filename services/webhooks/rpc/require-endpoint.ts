import type pg from "pg";
import { DomainError, type ErrorCode } from "#platform/errors.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import type { Endpoint } from "../domain/endpoint.ts";
import { findEndpoint } from "../store/endpoint-store.ts";

/** As the database writes it. Throws `otherwise` for what is no id: it names nothing. */
export function parseId(id: string, otherwise: ErrorCode): string {
  if (!isUuid(id)) throw new DomainError(otherwise);
  return id.toLowerCase();
}

/** An endpoint of our own format; `lock` as for findEndpoint. Throws WEBHOOK_ENDPOINT_NOT_FOUND. */
export async function requireEndpoint(
  client: pg.PoolClient,
  orgId: OrgId,
  id: string,
  options: { readonly lock?: boolean } = {},
): Promise<Endpoint> {
  const endpoint = await findEndpoint(client, orgId, parseId(id, "WEBHOOK_ENDPOINT_NOT_FOUND"), options);
  if (endpoint?.kind !== "standard") throw new DomainError("WEBHOOK_ENDPOINT_NOT_FOUND");
  return endpoint;
}
