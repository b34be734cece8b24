import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { requireRemovable } from "../domain/deployment.ts";
import { removeDeployment as deleteDeployment } from "../store/deployment-store.ts";
import { inOrganization } from "../store/orm.ts";
import { openDeployment } from "./deployment-rules.ts";
import type { TemplatesDeps } from "./deps.ts";

export const removeDeployment = (
  deps: Pick<TemplatesDeps, "orm">,
): Pick<ServiceImpl<typeof TemplatesService>, "removeDeployment"> => ({
  async removeDeployment(request, context) {
    const { orgId } = requireCaller(context);
    return inOrganization(orgId, deps.orm, async (em) => {
      const { deployment } = await openDeployment(orgId, em, request.deploymentId);
      requireRemovable(deployment);
      await deleteDeployment(orgId, em, deployment.id);
      return {};
    });
  },
});
