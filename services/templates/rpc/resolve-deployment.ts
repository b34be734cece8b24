import type { ResolveDeploymentRequest } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { isDeploymentKey } from "../domain/deployment.ts";
import { type DeploymentName, resolveDeployment as resolve } from "../store/resolve-deployment-store.ts";
import { deploymentMessage } from "./deployment-input.ts";
import type { TemplatesDeps, TemplatesRpcs } from "./deps.ts";
import { snapshotMessage } from "./resolve-templates.ts";

export const resolveDeployment = (
  deps: Pick<TemplatesDeps, "resolverPool" | "clock">,
): TemplatesRpcs<"resolveDeployment"> => ({
  async resolveDeployment(request, context) {
    const { orgId } = requireCaller(context);
    const name = parseName(request.deployment);
    const now = deps.clock.now();
    const resolved = await withOrg(deps.resolverPool, orgId, (tenant) => resolve(tenant, name, now));
    // An archived template has no active deployment; that it is checked here as well costs nothing.
    if (resolved === undefined || resolved.template.archived) throw new DomainError("CLICK_DEPLOYMENT_NOT_FOUND");
    const { deployment, template, snapshotJson } = resolved;
    return { deployment: deploymentMessage(deployment), template: snapshotMessage(template), snapshotJson };
  },
});

function parseName(name: ResolveDeploymentRequest["deployment"]): DeploymentName {
  if (name.case === "key" && isDeploymentKey(name.value)) return { key: name.value };
  if (name.case === "deploymentId" && isUuid(name.value)) return { id: name.value };
  throw new DomainError("CLICK_DEPLOYMENT_NOT_FOUND");
}
