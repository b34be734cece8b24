import type { ServiceImpl } from "@connectrpc/connect";
import type { OrganizationService } from "#gen/assent/auth/v1/organization_pb.ts";
import { createClient, type ManageDeps, revokeClient, rotateSecret } from "../manage-credentials.ts";
import { listOAuthClients } from "../store/oauth-client-store.ts";
import { type ActingDeps, actAs } from "./acting.ts";
import { managerOf } from "./manager.ts";
import { toClientMessage } from "./messages.ts";

type Deps = ActingDeps & ManageDeps;
type Handlers = Pick<
  ServiceImpl<typeof OrganizationService>,
  "listClients" | "createClient" | "rotateClientSecret" | "revokeClient"
>;

const role = "developer";

/** OAuth clients, as users of the dashboard manage them. */
export const userClients = (deps: Deps): Handlers => ({
  async listClients(_request, context) {
    const orgId = await actAs(deps, context, {}, async (acting) => acting.orgId);
    return { clients: (await listOAuthClients(deps.orm, orgId)).map(toClientMessage) };
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
