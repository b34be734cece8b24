import type { ServiceImpl } from "@connectrpc/connect";
import type { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { findOrganization } from "../store/organization-store.ts";
import type { AuthDeps } from "./deps.ts";
import { organizationNotFound, toOrganizationMessage, toOrgId } from "./messages.ts";

type Deps = Pick<AuthDeps, "orm">;

export const describeOrganization = (deps: Deps): Pick<ServiceImpl<typeof TokenService>, "describeOrganization"> => ({
  async describeOrganization(request) {
    const organization = await findOrganization(deps.orm, toOrgId(request.organizationId));
    if (organization === undefined) throw organizationNotFound();
    return { organization: toOrganizationMessage(organization) };
  },
});
