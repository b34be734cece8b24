import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { operatorAudit } from "../logins/audit-entry.ts";
import { createKey, type ManageDeps } from "../manage-credentials.ts";
import type { AuthDeps } from "./deps.ts";
import { toOrgId } from "./messages.ts";

type Deps = ManageDeps & Pick<AuthDeps, "newId">;

export const createApiKey = (deps: Deps): Pick<ServiceImpl<typeof AdminService>, "createApiKey"> => ({
  createApiKey: async (request) =>
    createKey(deps, { orgId: toOrgId(request.organizationId), audit: operatorAudit(deps) }, request),
});
