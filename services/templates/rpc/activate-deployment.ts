import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { moveDeployment } from "../domain/deployment.ts";
import { checkPolicy } from "../domain/deployment-policy.ts";
import { requireActive } from "../domain/template.ts";
import { inOrganization } from "../store/orm.ts";
import { deploymentMessage } from "./deployment-messages.ts";
import { openDeployment, putInForce } from "./deployment-rules.ts";
import type { TemplatesDeps } from "./deps.ts";

export const activateDeployment = (
  deps: Pick<TemplatesDeps, "orm" | "clock">,
): Pick<ServiceImpl<typeof TemplatesService>, "activateDeployment"> => ({
  async activateDeployment(request, context) {
    const { orgId } = requireCaller(context);
    return inOrganization(orgId, deps.orm, async (em) => {
      const { template, deployment } = await openDeployment(orgId, em, request.deploymentId);
      requireActive(template);
      const now = deps.clock.now();
      const update = moveDeployment(deployment, "activate", now);
      if (update !== undefined) {
        Object.assign(deployment, update);
        checkPolicy(template, deployment);
        await putInForce(orgId, em, { template, deployment }, now);
      }
      return { deployment: deploymentMessage(deployment) };
    });
  },
});
