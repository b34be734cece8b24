import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { changeDeployment } from "../domain/deployment.ts";
import { checkNewOverrides, checkPolicy } from "../domain/deployment-policy.ts";
import { requireActive } from "../domain/template.ts";
import { inOrganization } from "../store/orm.ts";
import { parseDeploymentChanges } from "./deployment-input.ts";
import { deploymentMessage } from "./deployment-messages.ts";
import { openDeployment, putInForce, requirePinnedVersion } from "./deployment-rules.ts";
import type { TemplatesDeps } from "./deps.ts";

export const updateDeployment = (
  deps: Pick<TemplatesDeps, "orm" | "clock">,
): Pick<ServiceImpl<typeof TemplatesService>, "updateDeployment"> => ({
  async updateDeployment(request, context) {
    const { orgId } = requireCaller(context);
    const changes = parseDeploymentChanges(request);
    return inOrganization(orgId, deps.orm, async (em) => {
      const { template, deployment } = await openDeployment(orgId, em, request.deploymentId);
      requireActive(template);
      const by = { templateName: template.name, force: request.force };
      const update = changeDeployment(deployment, changes, by);
      if (Object.keys(update).length === 0) return { deployment: deploymentMessage(deployment) };

      const now = deps.clock.now();
      Object.assign(deployment, update, { updatedAt: now });
      if ("versionId" in update) await requirePinnedVersion(orgId, em, deployment);
      if ("policyOverrides" in update) checkNewOverrides(template, deployment);
      else checkPolicy(template, deployment);
      if (deployment.status === "ACTIVE") await putInForce(orgId, em, { template, deployment }, now);
      return { deployment: deploymentMessage(deployment) };
    });
  },
});
