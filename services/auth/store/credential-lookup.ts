import type { Pool } from "pg";
import type { OrgId } from "#platform/ids.ts";
import { parseApiKey } from "../domain/api-key.ts";
import { type ClientKey, isClientId } from "../domain/oauth-client.ts";
import { type DerivedKeys, hashApiKey, hashClientSecret, hashMatches } from "../domain/secrets.ts";

/** The pool of these functions has the role that may read credentials of any organization, and only read. */
export interface StoredCredential {
  readonly orgId: OrgId;
  readonly secretHash: Buffer;
  readonly isRevoked: boolean;
}

export interface StoredClient extends StoredCredential {
  readonly scopes: readonly string[];
}

/** A client as assertions need it: without its secret, with the keys that are not revoked. */
export interface AssertingClient extends Omit<StoredClient, "secretHash"> {
  readonly keys: readonly ClientKey[];
}

const selectApiKey = `
  select organization_id as "orgId", secret_hash as "secretHash", revoked_at is not null as "isRevoked"
  from auth.api_key where key_id = $1`;

const selectClient = `
  select organization_id as "orgId", secret_hash as "secretHash", revoked_at is not null as "isRevoked", scopes
  from auth.oauth_client where client_id = $1`;

const selectAssertingClient = `
  select c.organization_id as "orgId", c.revoked_at is not null as "isRevoked", c.scopes,
    coalesce(jsonb_agg(jsonb_build_object('keyId', k.key_id, 'algorithm', k.algorithm, 'publicJwk', k.public_jwk))
      filter (where k.key_id is not null), '[]') as keys
  from auth.oauth_client c
  left join auth.oauth_client_key k
    on k.organization_id = c.organization_id and k.client_id = c.client_id and k.revoked_at is null
  where c.client_id = $1
  group by c.organization_id, c.client_id`;

async function findApiKey(lookup: Pool, keyId: string): Promise<StoredCredential | undefined> {
  return (await lookup.query<StoredCredential>(selectApiKey, [keyId])).rows[0];
}

async function findClient(lookup: Pool, clientId: string): Promise<StoredClient | undefined> {
  return (await lookup.query<StoredClient>(selectClient, [clientId])).rows[0];
}

export async function findAssertingClient(lookup: Pool, clientId: string): Promise<AssertingClient | undefined> {
  return (await lookup.query<AssertingClient>(selectAssertingClient, [clientId])).rows[0];
}

export interface CredentialDeps {
  readonly lookup: Pool;
  readonly keys: DerivedKeys;
}

export type VerifiedApiKey = StoredCredential & { readonly keyId: string };

/** The key that this value is the secret of, revoked or not; undefined for everything else. */
export async function verifyApiKey(deps: CredentialDeps, value: string): Promise<VerifiedApiKey | undefined> {
  const parsed = parseApiKey(value);
  if (parsed === undefined) return undefined;
  const stored = await findApiKey(deps.lookup, parsed.keyId);
  const isSecret = hashMatches(hashApiKey(deps.keys, value), stored?.secretHash);
  return isSecret && stored !== undefined ? { ...stored, keyId: parsed.keyId } : undefined;
}

/** The client with this id and secret, revoked or not; undefined for an unknown id and a wrong secret alike. */
export async function verifyClient(
  deps: CredentialDeps,
  clientId: string,
  secret: string,
): Promise<StoredClient | undefined> {
  const stored = isClientId(clientId) ? await findClient(deps.lookup, clientId) : undefined;
  const isSecret = hashMatches(hashClientSecret(deps.keys, clientId, secret), stored?.secretHash);
  return isSecret ? stored : undefined;
}
