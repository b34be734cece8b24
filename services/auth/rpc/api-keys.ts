import type { ServiceImpl } from "@connectrpc/connect";
import type { OrganizationService } from "#gen/assent/auth/v1/organization_pb.ts";
import { withOrgEm } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import { operatorAudit } from "../logins/audit-entry.ts";
import { createKey, type ManageDeps, requireOrganization, revokeKey } from "../manage-credentials.ts";
import { verifyApiKey } from "../store/credential-lookup.ts";
import { listApiKeys as keysOf } from "../store/credential-store.ts";
import { type ActingDeps, actAs, managerOf } from "./acting.ts";
import type { AdminRpcs, AuthDeps, TokenRpcs } from "./deps.ts";
import { toApiKeyMessage, toOrgId } from "./messages.ts";

type CreateApiKeyDeps = ManageDeps & Pick<AuthDeps, "newId">;

export const createApiKey = (deps: CreateApiKeyDeps): AdminRpcs<"createApiKey"> => ({
  createApiKey: async (request, context) =>
    createKey(deps, { orgId: toOrgId(request.organizationId), audit: operatorAudit(deps, context) }, request),
});

type RevokeApiKeyDeps = ManageDeps & Pick<AuthDeps, "newId">;

export const revokeApiKey = (deps: RevokeApiKeyDeps): AdminRpcs<"revokeApiKey"> => ({
  revokeApiKey: async (request, context) =>
    revokeKey(deps, { orgId: toOrgId(request.organizationId), audit: operatorAudit(deps, context) }, request),
});

export const listApiKeys = (deps: Pick<AuthDeps, "orm">): AdminRpcs<"listApiKeys"> => ({
  async listApiKeys(request) {
    const { organizationId } = await requireOrganization(deps, toOrgId(request.organizationId));
    return { keys: (await withOrgEm(deps.orm, organizationId, keysOf)).map(toApiKeyMessage) };
  },
});

type AuthenticateApiKeyDeps = Pick<AuthDeps, "lookup" | "keys" | "usage">;

export const authenticateApiKey = (deps: AuthenticateApiKeyDeps): TokenRpcs<"authenticateApiKey"> => ({
  async authenticateApiKey(request) {
    const key = await verifyApiKey(deps, request.apiKey);
    if (key === undefined || key.isRevoked) throw new DomainError("INVALID_TOKEN");
    deps.usage.note(key.orgId, key.keyId);
    return { keyId: key.keyId, organizationId: key.orgId };
  },
});

type UserKeysDeps = ActingDeps & ManageDeps;
type Handlers = Pick<ServiceImpl<typeof OrganizationService>, "listKeys" | "createKey" | "revokeKey">;

/** API keys, as users of the dashboard manage them. */
export const userKeys = (deps: UserKeysDeps): Handlers => ({
  async listKeys(_request, context) {
    const orgId = await actAs(deps, context, {}, async (acting) => acting.tenant.orgId);
    return { keys: (await withOrgEm(deps.orm, orgId, keysOf)).map(toApiKeyMessage) };
  },
  async createKey(request, context) {
    return createKey(deps, await managerOf(deps, context, { visitor: request.visitor, role: "developer" }), request);
  },
  async revokeKey(request, context) {
    return revokeKey(deps, await managerOf(deps, context, { visitor: request.visitor, role: "developer" }), request);
  },
});
