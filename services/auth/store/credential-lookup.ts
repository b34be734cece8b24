import type { Pool } from "pg";
import type { OrgId } from "#platform/ids.ts";

/** The pool of these functions has the role that may read credentials of any organization, and only read. */
export interface StoredCredential {
  readonly orgId: OrgId;
  readonly secretHash: Buffer;
  readonly isRevoked: boolean;
}

export interface StoredClient extends StoredCredential {
  readonly scopes: readonly string[];
}

const selectApiKey = `
  select organization_id as "orgId", secret_hash as "secretHash", revoked_at is not null as "isRevoked"
  from auth.api_key where key_id = $1`;

const selectClient = `
  select organization_id as "orgId", secret_hash as "secretHash", revoked_at is not null as "isRevoked", scopes
  from auth.oauth_client where client_id = $1`;

export async function findApiKey(lookup: Pool, keyId: string): Promise<StoredCredential | undefined> {
  return (await lookup.query<StoredCredential>(selectApiKey, [keyId])).rows[0];
}

export async function findClient(lookup: Pool, clientId: string): Promise<StoredClient | undefined> {
  return (await lookup.query<StoredClient>(selectClient, [clientId])).rows[0];
}
