import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import type { OrganizationService } from "#gen/assent/auth/v1/organization_pb.ts";
import { withOrgEm } from "#platform/db/orm.ts";
import { operatorAudit } from "../logins/audit-entry.ts";
import {
  createClient,
  type ManageDeps,
  requireOrganization,
  revokeClient,
  rotateSecret,
} from "../manage-credentials.ts";
import { listOAuthClients as clientsOf } from "../store/oauth-client-store.ts";
import { type ActingDeps, actAs, managerOf } from "./acting.ts";
import type { AuthDeps } from "./deps.ts";
import { toClientMessage, toOrgId } from "./messages.ts";

type CreateOauthClientDeps = ManageDeps & Pick<AuthDeps, "newId">;

export const createOAuthClient = (
  deps: CreateOauthClientDeps,
): Pick<ServiceImpl<typeof AdminService>, "createOAuthClient"> => ({
  createOAuthClient: async (request, context) =>
    createClient(deps, { orgId: toOrgId(request.organizationId), audit: operatorAudit(deps, context) }, request),
});

export const listOAuthClients = (
  deps: Pick<AuthDeps, "orm">,
): Pick<ServiceImpl<typeof AdminService>, "listOAuthClients"> => ({
  async listOAuthClients(request) {
    const { organizationId } = await requireOrganization(deps, toOrgId(request.organizationId));
    return { clients: (await withOrgEm(deps.orm, organizationId, clientsOf)).map(toClientMessage) };
  },
});

type RevokeOauthClientDeps = ManageDeps & Pick<AuthDeps, "newId">;

export const revokeOAuthClient = (
  deps: RevokeOauthClientDeps,
): Pick<ServiceImpl<typeof AdminService>, "revokeOAuthClient"> => ({
  revokeOAuthClient: async (request, context) =>
    revokeClient(deps, { orgId: toOrgId(request.organizationId), audit: operatorAudit(deps, context) }, request),
});

type RotateOauthClientSecretDeps = ManageDeps & Pick<AuthDeps, "newId">;

export const rotateOAuthClientSecret = (
  deps: RotateOauthClientSecretDeps,
): Pick<ServiceImpl<typeof AdminService>, "rotateOAuthClientSecret"> => ({
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
