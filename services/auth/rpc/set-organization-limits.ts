import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { parseLimits } from "../domain/organization.ts";
import { setLimits } from "../store/organization-store.ts";
import type { AuthDeps } from "./deps.ts";
import { organizationNotFound, toOrganizationMessage, toOrgId } from "./messages.ts";

type Deps = Pick<AuthDeps, "orm" | "clock">;

export const setOrganizationLimits = (deps: Deps): Pick<ServiceImpl<typeof AdminService>, "setOrganizationLimits"> => ({
  async setOrganizationLimits(request) {
    const orgId = toOrgId(request.organizationId);
    const organization = await setLimits(deps.orm, orgId, parseLimits(request.limits ?? {}), deps.clock.now());
    if (organization === undefined) throw organizationNotFound();
    return { organization: toOrganizationMessage(organization) };
  },
});
