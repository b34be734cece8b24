import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { parseName } from "../domain/organization.ts";
import { insertOrganization } from "../store/organization-store.ts";
import type { AuthDeps } from "./deps.ts";
import { toOrganizationMessage, toOrgId, toPlan } from "./messages.ts";

type Deps = Pick<AuthDeps, "orm" | "clock" | "newId">;

export const createOrganization = (deps: Deps): Pick<ServiceImpl<typeof AdminService>, "createOrganization"> => ({
  async createOrganization(request) {
    const organization = await insertOrganization(deps.orm, toOrgId(deps.newId()), {
      name: parseName(request.name),
      plan: toPlan(request.plan),
      sandbox: request.sandbox,
      createdAt: deps.clock.now(),
    });
    return { organization: toOrganizationMessage(organization) };
  },
});
