import type { ServiceImpl } from "@connectrpc/connect";
import type { OrganizationService } from "#gen/assent/auth/v1/organization_pb.ts";
import { createKey, type ManageDeps, revokeKey } from "../manage-credentials.ts";
import { listApiKeys } from "../store/api-key-store.ts";
import { type ActingDeps, actAs } from "./acting.ts";
import { managerOf } from "./manager.ts";
import { toApiKeyMessage } from "./messages.ts";

type Deps = ActingDeps & ManageDeps;
type Handlers = Pick<ServiceImpl<typeof OrganizationService>, "listKeys" | "createKey" | "revokeKey">;

/** API keys, as users of the dashboard manage them. */
export const userKeys = (deps: Deps): Handlers => ({
  async listKeys(_request, context) {
    const orgId = await actAs(deps, context, {}, async (acting) => acting.orgId);
    return { keys: (await listApiKeys(deps.orm, orgId)).map(toApiKeyMessage) };
  },
  async createKey(request, context) {
    return createKey(deps, await managerOf(deps, context, { visitor: request.visitor, role: "developer" }), request);
  },
  async revokeKey(request, context) {
    return revokeKey(deps, await managerOf(deps, context, { visitor: request.visitor, role: "developer" }), request);
  },
});
