import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { listApiKeys as readApiKeys } from "../store/api-key-store.ts";
import { findOrganization } from "../store/organization-store.ts";
import type { AuthDeps } from "./deps.ts";
import { organizationNotFound, toApiKeyMessage, toOrgId } from "./messages.ts";

type Deps = Pick<AuthDeps, "orm">;

export const listApiKeys = (deps: Deps): Pick<ServiceImpl<typeof AdminService>, "listApiKeys"> => ({
  async listApiKeys(request) {
    const orgId = toOrgId(request.organizationId);
    if ((await findOrganization(deps.orm, orgId)) === undefined) throw organizationNotFound();
    return { keys: (await readApiKeys(deps.orm, orgId)).map(toApiKeyMessage) };
  },
});
