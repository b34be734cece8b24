import { withOrgEm } from "#platform/db/orm.ts";
import type { OrgId } from "#platform/ids.ts";
import { isApiKeyId, makeApiKey } from "./domain/api-key.ts";
import { isClientId, makeClientId, makeClientSecret } from "./domain/oauth-client.ts";
import { parseName } from "./domain/organization.ts";
import { parseScopes } from "./domain/scopes.ts";
import { hashApiKey, hashClientSecret } from "./domain/secrets.ts";
import type { AuthDeps } from "./rpc/deps.ts";
import {
  apiKeyNotFound,
  clientNotFound,
  organizationNotFound,
  toApiKeyMessage,
  toClientMessage,
} from "./rpc/messages.ts";
import type { AuditOf } from "./store/audit-store.ts";
import {
  insertApiKey,
  insertOAuthClient,
  replaceClientSecret,
  revokeApiKey,
  revokeOAuthClient,
} from "./store/credential-store.ts";
import { findOrganization } from "./store/organization-store.ts";
import type { Organization } from "./store/orm.ts";

/** Keys and clients are managed by an operator and by users; who it was is all that differs. */
export interface Manager {
  readonly orgId: OrgId;
  readonly audit: AuditOf;
}

export type ManageDeps = Pick<AuthDeps, "orm" | "keys" | "clock">;

/** Throws when an operator names one that there is not, or no more. */
export async function requireOrganization({ orm }: Pick<AuthDeps, "orm">, orgId: OrgId): Promise<Organization> {
  const organization = await withOrgEm(orm, orgId, findOrganization);
  if (organization === undefined || organization.closedAt) throw organizationNotFound();
  return organization;
}

export async function createKey(deps: ManageDeps, { orgId, audit }: Manager, request: { readonly name: string }) {
  const name = parseName(request.name);
  const { sandbox } = await requireOrganization(deps, orgId);
  const { keyId, value } = makeApiKey(sandbox);
  const stored = { keyId, name, secretHash: hashApiKey(deps.keys, value), createdAt: deps.clock.now() };
  const key = await withOrgEm(deps.orm, orgId, (tenant) => insertApiKey(tenant, stored, audit));
  return { key: toApiKeyMessage(key), apiKey: value };
}

export async function revokeKey(
  deps: Pick<ManageDeps, "orm" | "clock">,
  { orgId, audit }: Manager,
  { keyId }: { readonly keyId: string },
) {
  if (!isApiKeyId(keyId)) throw apiKeyNotFound();
  const named = { keyId, now: deps.clock.now() };
  const key = await withOrgEm(deps.orm, orgId, (tenant) => revokeApiKey(tenant, named, audit));
  if (key === undefined) throw apiKeyNotFound();
  return { key: toApiKeyMessage(key) };
}

export async function createClient(
  deps: ManageDeps,
  { orgId, audit }: Manager,
  request: { readonly name: string; readonly scopes: readonly string[] },
) {
  const name = parseName(request.name);
  const scopes = parseScopes(request.scopes);
  await requireOrganization(deps, orgId);
  const clientId = makeClientId();
  const clientSecret = makeClientSecret();
  const secretHash = hashClientSecret(deps.keys, clientId, clientSecret);
  const stored = { clientId, name, scopes, secretHash, createdAt: deps.clock.now() };
  const client = await withOrgEm(deps.orm, orgId, (tenant) => insertOAuthClient(tenant, stored, audit));
  return { client: toClientMessage(client), clientSecret };
}

export async function rotateSecret(
  deps: Pick<ManageDeps, "orm" | "keys">,
  { orgId, audit }: Manager,
  { clientId }: { readonly clientId: string },
) {
  if (!isClientId(clientId)) throw clientNotFound();
  const clientSecret = makeClientSecret();
  const secretHash = hashClientSecret(deps.keys, clientId, clientSecret);
  const client = await withOrgEm(deps.orm, orgId, (tenant) =>
    replaceClientSecret(tenant, { clientId, secretHash }, audit),
  );
  if (client === undefined) throw clientNotFound();
  return { client: toClientMessage(client), clientSecret };
}

export async function revokeClient(
  deps: Pick<ManageDeps, "orm" | "clock">,
  { orgId, audit }: Manager,
  { clientId }: { readonly clientId: string },
) {
  if (!isClientId(clientId)) throw clientNotFound();
  const named = { clientId, now: deps.clock.now() };
  const client = await withOrgEm(deps.orm, orgId, (tenant) => revokeOAuthClient(tenant, named, audit));
  if (client === undefined) throw clientNotFound();
  return { client: toClientMessage(client) };
}
