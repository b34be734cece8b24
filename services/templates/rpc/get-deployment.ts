import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { findDeployment } from "../store/deployment-store.ts";
import { inOrganization } from "../store/orm.ts";
import { deploymentMessage } from "./deployment-messages.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseDeploymentId } from "./ids.ts";

export const getDeployment = (
  deps: Pick<TemplatesDeps, "orm">,
): Pick<ServiceImpl<typeof TemplatesService>, "getDeployment"> => ({
  async getDeployment(request, context) {
    const { orgId } = requireCaller(context);
    const id = parseDeploymentId(request.deploymentId);
    return inOrganization(orgId, deps.orm, async (em) => {
      const deployment = await findDeployment(orgId, em, id);
      if (deployment === null) throw new DomainError("CLICK_DEPLOYMENT_NOT_FOUND");
      return { deployment: deploymentMessage(deployment) };
    });
  },
});
