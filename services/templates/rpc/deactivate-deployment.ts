import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { moveDeployment } from "../domain/deployment.ts";
import { inOrganization } from "../store/orm.ts";
import { deploymentMessage } from "./deployment-messages.ts";
import { openDeployment } from "./deployment-rules.ts";
import type { TemplatesDeps } from "./deps.ts";

export const deactivateDeployment = (
  deps: Pick<TemplatesDeps, "orm" | "clock">,
): Pick<ServiceImpl<typeof TemplatesService>, "deactivateDeployment"> => ({
  async deactivateDeployment(request, context) {
    const { orgId } = requireCaller(context);
    return inOrganization(orgId, deps.orm, async (em) => {
      const { deployment } = await openDeployment(orgId, em, request.deploymentId);
      Object.assign(deployment, moveDeployment(deployment, "deactivate", deps.clock.now()));
      return { deployment: deploymentMessage(deployment) };
    });
  },
});
