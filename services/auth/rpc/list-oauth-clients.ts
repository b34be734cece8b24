import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { listOAuthClients as readClients } from "../store/oauth-client-store.ts";
import { findOrganization } from "../store/organization-store.ts";
import type { AuthDeps } from "./deps.ts";
import { organizationNotFound, toClientMessage, toOrgId } from "./messages.ts";

type Deps = Pick<AuthDeps, "orm">;

export const listOAuthClients = (deps: Deps): Pick<ServiceImpl<typeof AdminService>, "listOAuthClients"> => ({
  async listOAuthClients(request) {
    const orgId = toOrgId(request.organizationId);
    if ((await findOrganization(deps.orm, orgId)) === undefined) throw organizationNotFound();
    return { clients: (await readClients(deps.orm, orgId)).map(toClientMessage) };
  },
});
