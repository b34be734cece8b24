import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { listDeployments as findDeployments } from "../store/deployment-store.ts";
import { inOrganization } from "../store/orm.ts";
import { findTemplate } from "../store/template-store.ts";
import { deploymentMessage } from "./deployment-messages.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId } from "./ids.ts";
import { fromWire, wireDeploymentStatus } from "./wire-enums.ts";

export const listDeployments = (
  deps: Pick<TemplatesDeps, "orm">,
): Pick<ServiceImpl<typeof TemplatesService>, "listDeployments"> => ({
  async listDeployments(request, context) {
    const { orgId } = requireCaller(context);
    const templateId = parseTemplateId(request.templateId);
    const status = fromWire(wireDeploymentStatus, request.status);
    return inOrganization(orgId, deps.orm, async (em) => {
      const template = await findTemplate(orgId, em, templateId);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const deployments = await findDeployments(orgId, em, { templateId, status });
      return { deployments: deployments.map(deploymentMessage) };
    });
  },
});
