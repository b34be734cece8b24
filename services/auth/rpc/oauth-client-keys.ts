import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { withOrgEm } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import { isClientKeyId, maxLivingKeys, parseClientKey } from "../domain/client-key.ts";
import { isClientId } from "../domain/oauth-client.ts";
import { operatorAudit } from "../logins/audit-entry.ts";
import { insertClientKey, listClientKeys, revokeClientKey } from "../store/oauth-client-key-store.ts";
import type { AuthDeps } from "./deps.ts";
import { clientKeyNotFound, clientNotFound, toClientKeyMessage, toOrgId } from "./messages.ts";

type AddOauthClientKeyDeps = Pick<AuthDeps, "orm" | "clock" | "newId">;

export const addOAuthClientKey = (
  deps: AddOauthClientKeyDeps,
): Pick<ServiceImpl<typeof AdminService>, "addOAuthClientKey"> => ({
  async addOAuthClientKey(request) {
    const key = await parseClientKey(request.publicKeyPem);
    if (!isClientId(request.clientId)) throw clientNotFound();
    const orgId = toOrgId(request.organizationId);
    const added = await withOrgEm(deps.orm, orgId, (tenant) =>
      insertClientKey(tenant, request.clientId, key, deps.clock.now(), operatorAudit(deps)),
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

const refused = (code: string, message: string): DomainError =>
  new DomainError("VALIDATION_FAILED", { details: [{ field: "public_key_pem", code, message }] });

type ListOauthClientKeysDeps = Pick<AuthDeps, "orm">;

export const listOAuthClientKeys = (
  deps: ListOauthClientKeysDeps,
): Pick<ServiceImpl<typeof AdminService>, "listOAuthClientKeys"> => ({
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

export const revokeOAuthClientKey = (
  deps: RevokeOauthClientKeyDeps,
): Pick<ServiceImpl<typeof AdminService>, "revokeOAuthClientKey"> => ({
  async revokeOAuthClientKey({ organizationId, clientId, keyId }) {
    if (!isClientId(clientId) || !isClientKeyId(keyId)) throw clientKeyNotFound();
    const key = await withOrgEm(deps.orm, toOrgId(organizationId), (tenant) =>
      revokeClientKey(tenant, clientId, keyId, deps.clock.now(), operatorAudit(deps)),
    );
    if (key === undefined) throw clientKeyNotFound();
    return { key: toClientKeyMessage(key) };
  },
});
