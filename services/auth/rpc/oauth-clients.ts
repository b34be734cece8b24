import type { ServiceImpl } from "@connectrpc/connect";
import { LockMode } from "@mikro-orm/core";
import type { OrganizationService } from "#gen/assent/auth/v1/organization_pb.ts";
import { withOrgEm } from "#platform/db/orm.ts";
import type { DomainError } from "#platform/errors.ts";
import { refusedField } from "#platform/problems.ts";
import { type ClientKey, isClientId, isClientKeyId, maxLivingKeys, parseClientKey } from "../domain/oauth-client.ts";
import { operatorAudit } from "../logins/audit-entry.ts";
import {
  createClient,
  type ManageDeps,
  requireOrganization,
  revokeClient,
  rotateSecret,
} from "../manage-credentials.ts";
import { type AuditOf, addAuditWith } from "../store/audit-store.ts";
import { listOAuthClients as clientsOf, lockClient } from "../store/credential-store.ts";
import { type AuthTenant, OAuthClientEntity, type OAuthClientKey, OAuthClientKeyEntity } from "../store/orm.ts";
import { type ActingDeps, actAs, managerOf } from "./acting.ts";
import type { AdminRpcs, AuthDeps } from "./deps.ts";
import { clientKeyNotFound, clientNotFound, toClientKeyMessage, toClientMessage, toOrgId } from "./messages.ts";

type CreateOauthClientDeps = ManageDeps & Pick<AuthDeps, "newId">;

export const createOAuthClient = (deps: CreateOauthClientDeps): AdminRpcs<"createOAuthClient"> => ({
  createOAuthClient: async (request, context) =>
    createClient(deps, { orgId: toOrgId(request.organizationId), audit: operatorAudit(deps, context) }, request),
});

export const listOAuthClients = (deps: Pick<AuthDeps, "orm">): AdminRpcs<"listOAuthClients"> => ({
  async listOAuthClients(request) {
    const { organizationId } = await requireOrganization(deps, toOrgId(request.organizationId));
    return { clients: (await withOrgEm(deps.orm, organizationId, clientsOf)).map(toClientMessage) };
  },
});

type RevokeOauthClientDeps = ManageDeps & Pick<AuthDeps, "newId">;

export const revokeOAuthClient = (deps: RevokeOauthClientDeps): AdminRpcs<"revokeOAuthClient"> => ({
  revokeOAuthClient: async (request, context) =>
    revokeClient(deps, { orgId: toOrgId(request.organizationId), audit: operatorAudit(deps, context) }, request),
});

type RotateOauthClientSecretDeps = ManageDeps & Pick<AuthDeps, "newId">;

export const rotateOAuthClientSecret = (deps: RotateOauthClientSecretDeps): AdminRpcs<"rotateOAuthClientSecret"> => ({
  rotateOAuthClientSecret: async (request, context) =>
    rotateSecret(deps, { orgId: toOrgId(request.organizationId), audit: operatorAudit(deps, context) }, request),
});

type UserClientsDeps = ActingDeps & ManageDeps;
type Handlers = Pick<
  ServiceImpl<typeof OrganizationService>,
  "listClients" | "createClient" | "rotateClientSecret" | "revokeClient"
>;

const role = "developer";

/** OAuth clients, as users of the dashboard manage them. */
export const userClients = (deps: UserClientsDeps): Handlers => ({
  async listClients(_request, context) {
    const orgId = await actAs(deps, context, {}, async (acting) => acting.tenant.orgId);
    return { clients: (await withOrgEm(deps.orm, orgId, clientsOf)).map(toClientMessage) };
  },
  async createClient(request, context) {
    return createClient(deps, await managerOf(deps, context, { visitor: request.visitor, role }), request);
  },
  async rotateClientSecret(request, context) {
    return rotateSecret(deps, await managerOf(deps, context, { visitor: request.visitor, role }), request);
  },
  async revokeClient(request, context) {
    return revokeClient(deps, await managerOf(deps, context, { visitor: request.visitor, role }), request);
  },
});

type AddedClientKey =
  /** Added now, or before by the same call. */
  { readonly kind: "added"; readonly key: OAuthClientKey } | { readonly kind: "no-client" | "too-many" | "revoked" };

/** Adds a key to a client that is not revoked. */
async function insertClientKey(
  tenant: AuthTenant,
  clientId: string,
  values: ClientKey,
  now: Date,
  audit: AuditOf,
): Promise<AddedClientKey> {
  // Locked, so that concurrent calls count each other's keys.
  const client = await lockClient(tenant, clientId);
  if (client === null || client.revokedAt !== null) return { kind: "no-client" };
  const keys = await tenant.em.find(OAuthClientKeyEntity, { organizationId: tenant.orgId, clientId });
  const known = keys.find((key) => key.keyId === values.keyId);
  if (known !== undefined) return known.revokedAt === null ? { kind: "added", key: known } : { kind: "revoked" };
  if (keys.filter((key) => key.revokedAt === null).length >= maxLivingKeys) return { kind: "too-many" };
  await addAuditWith(tenant, audit("client-key.added", { id: values.keyId, name: client.name }));
  const key = tenant.em.create(OAuthClientKeyEntity, {
    organizationId: tenant.orgId,
    clientId,
    ...values,
    createdAt: now,
  });
  return { kind: "added", key };
}

/** Newest first. Undefined when the organization has no such client. */
async function listClientKeys({ orgId, em }: AuthTenant, clientId: string): Promise<OAuthClientKey[] | undefined> {
  if ((await em.findOne(OAuthClientEntity, { organizationId: orgId, clientId })) === null) return undefined;
  const orderBy = { createdAt: "desc", keyId: "asc" } as const;
  return em.find(OAuthClientKeyEntity, { organizationId: orgId, clientId }, { orderBy });
}

/** Revokes a key; one that is revoked already stays as it is. Undefined when the organization has no such key. */
async function revokeClientKey(
  tenant: AuthTenant,
  clientId: string,
  keyId: string,
  now: Date,
  audit: AuditOf,
): Promise<OAuthClientKey | undefined> {
  const key = await tenant.em.findOne(
    OAuthClientKeyEntity,
    { organizationId: tenant.orgId, clientId, keyId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (key === null) return undefined;
  if (key.revokedAt === null) {
    await addAuditWith(tenant, audit("client-key.revoked", { id: keyId, name: "" }));
    key.revokedAt = now;
  }
  return key;
}

type AddOauthClientKeyDeps = Pick<AuthDeps, "orm" | "clock" | "newId">;

export const addOAuthClientKey = (deps: AddOauthClientKeyDeps): AdminRpcs<"addOAuthClientKey"> => ({
  async addOAuthClientKey(request, context) {
    const key = await parseClientKey(request.publicKeyPem);
    if (!isClientId(request.clientId)) throw clientNotFound();
    const orgId = toOrgId(request.organizationId);
    const added = await withOrgEm(deps.orm, orgId, (tenant) =>
      insertClientKey(tenant, request.clientId, key, deps.clock.now(), operatorAudit(deps, context)),
    );
    switch (added.kind) {
      case "added":
        return { key: toClientKeyMessage(added.key) };
      case "no-client":
        throw clientNotFound();
      case "too-many":
        throw refused("TOO_MANY_KEYS", `is one too many: a client has at most ${maxLivingKeys}; revoke one first`);
      case "revoked":
        throw refused("REVOKED_KEY", "was revoked and stays so; make a new key pair");
    }
  },
});

const refused = (code: string, message: string): DomainError => refusedField("public_key_pem", code, message);

type ListOauthClientKeysDeps = Pick<AuthDeps, "orm">;

export const listOAuthClientKeys = (deps: ListOauthClientKeysDeps): AdminRpcs<"listOAuthClientKeys"> => ({
  async listOAuthClientKeys({ organizationId, clientId }) {
    const orgId = toOrgId(organizationId);
    const keys = isClientId(clientId)
      ? await withOrgEm(deps.orm, orgId, (tenant) => listClientKeys(tenant, clientId))
      : undefined;
    if (keys === undefined) throw clientNotFound();
    return { keys: keys.map(toClientKeyMessage) };
  },
});

type RevokeOauthClientKeyDeps = Pick<AuthDeps, "orm" | "clock" | "newId">;

export const revokeOAuthClientKey = (deps: RevokeOauthClientKeyDeps): AdminRpcs<"revokeOAuthClientKey"> => ({
  async revokeOAuthClientKey({ organizationId, clientId, keyId }, context) {
    if (!isClientId(clientId) || !isClientKeyId(keyId)) throw clientKeyNotFound();
    const key = await withOrgEm(deps.orm, toOrgId(organizationId), (tenant) =>
      revokeClientKey(tenant, clientId, keyId, deps.clock.now(), operatorAudit(deps, context)),
    );
    if (key === undefined) throw clientKeyNotFound();
    return { key: toClientKeyMessage(key) };
  },
});
