import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { operatorAudit } from "../logins/audit-entry.ts";
import { createClient, type ManageDeps } from "../manage-credentials.ts";
import type { AuthDeps } from "./deps.ts";
import { toOrgId } from "./messages.ts";

type Deps = ManageDeps & Pick<AuthDeps, "newId">;

export const createOAuthClient = (deps: Deps): Pick<ServiceImpl<typeof AdminService>, "createOAuthClient"> => ({
  createOAuthClient: async (request) =>
    createClient(deps, { orgId: toOrgId(request.organizationId), audit: operatorAudit(deps) }, request),
});
