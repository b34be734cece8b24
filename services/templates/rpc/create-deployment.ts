import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { draftDeployment, moveDeployment, requireRoomForDeployment } from "../domain/deployment.ts";
import { newDeploymentKey } from "../domain/deployment-key.ts";
import { checkNewOverrides } from "../domain/deployment-policy.ts";
import { invalid, problem } from "../domain/problems.ts";
import { requireActive } from "../domain/template.ts";
import { addDeployment, countDeployments } from "../store/deployment-store.ts";
import { inOrganization } from "../store/orm.ts";
import { holdTemplate } from "../store/template-store.ts";
import { parseDeploymentSettings } from "./deployment-input.ts";
import { deploymentMessage } from "./deployment-messages.ts";
import { putInForce, requirePinnedVersion } from "./deployment-rules.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId } from "./ids.ts";

export const createDeployment = (
  deps: Pick<TemplatesDeps, "orm" | "clock" | "newId">,
): Pick<ServiceImpl<typeof TemplatesService>, "createDeployment"> => ({
  async createDeployment(request, context) {
    const { orgId, clientId } = requireCaller(context);
    if (request.fields === undefined) throw invalid(problem("fields", "REQUIRED", "must be given"));
    const settings = parseDeploymentSettings(request.fields);
    const templateId = parseTemplateId(request.templateId);
    return inOrganization(orgId, deps.orm, async (em) => {
      const template = await holdTemplate(orgId, em, templateId);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      requireActive(template);
      requireRoomForDeployment(await countDeployments(orgId, em, templateId));
      const now = deps.clock.now();
      const by = { id: deps.newId(), key: newDeploymentKey(), template, clientId, now };
      const deployment = { organizationId: orgId, ...draftDeployment(settings, by) };
      if (request.activate) Object.assign(deployment, moveDeployment(deployment, "activate", now));
      await requirePinnedVersion(orgId, em, deployment);
      checkNewOverrides(template, deployment);
      if (request.activate) await putInForce(orgId, em, { template, deployment }, now);
      return { deployment: deploymentMessage(addDeployment(orgId, em, deployment)) };
    });
  },
});
