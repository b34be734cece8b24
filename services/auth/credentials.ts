import type { Pool } from "pg";
import { parseApiKey } from "./domain/api-key.ts";
import { isClientId } from "./domain/oauth-client.ts";
import { type DerivedKeys, hashApiKey, hashClientSecret, hashMatches } from "./domain/secrets.ts";
import { findApiKey, findClient, type StoredClient, type StoredCredential } from "./store/credential-lookup.ts";

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
