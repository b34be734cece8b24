import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { setPlan } from "../store/organization-store.ts";
import type { AuthDeps } from "./deps.ts";
import { organizationNotFound, toOrganizationMessage, toOrgId, toPlan } from "./messages.ts";

type Deps = Pick<AuthDeps, "orm" | "clock">;

export const setOrganizationPlan = (deps: Deps): Pick<ServiceImpl<typeof AdminService>, "setOrganizationPlan"> => ({
  async setOrganizationPlan(request) {
    const orgId = toOrgId(request.organizationId);
    const organization = await setPlan(deps.orm, orgId, toPlan(request.plan), deps.clock.now());
    if (organization === undefined) throw organizationNotFound();
    return { organization: toOrganizationMessage(organization) };
  },
});
