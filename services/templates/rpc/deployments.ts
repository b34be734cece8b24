import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import {
  changeDeployment,
  draftDeployment,
  moveDeployment,
  newDeploymentKey,
  requireRemovable,
  requireRoomForDeployment,
} from "../domain/deployment.ts";
import { checkNewOverrides, checkPolicy } from "../domain/deployment-policy.ts";
import { invalid, problem } from "../domain/problems.ts";
import { requireActive } from "../domain/template.ts";
import {
  addDeployment,
  countDeployments,
  removeDeployment as deleteDeployment,
  findDeployment,
  listDeployments as findDeployments,
} from "../store/deployment-store.ts";
import { inOrganization } from "../store/orm.ts";
import { findTemplate, holdTemplate } from "../store/template-store.ts";
import {
  deploymentMessage,
  deploymentStatusOf,
  parseDeploymentChanges,
  parseDeploymentSettings,
} from "./deployment-input.ts";
import { openDeployment, putInForce, requirePinnedVersion } from "./deployment-rules.ts";
import { parseDeploymentId, parseTemplateId, type TemplatesDeps, type TemplatesRpcs } from "./deps.ts";
import { pinScreenshot } from "./screenshots.ts";

export const createDeployment = (
  deps: Pick<TemplatesDeps, "orm" | "clock" | "newId" | "screenshotBytes">,
): TemplatesRpcs<"createDeployment"> => ({
  async createDeployment(request, context) {
    const { orgId, clientId } = requireCaller(context);
    if (request.fields === undefined) throw invalid(problem("fields", "REQUIRED", "must be given"));
    const settings = parseDeploymentSettings(request.fields);
    const templateId = parseTemplateId(request.templateId);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const template = await holdTemplate(tenant, templateId);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      requireActive(template);
      requireRoomForDeployment(await countDeployments(tenant, templateId));
      const now = deps.clock.now();
      const by = { id: deps.newId(), key: newDeploymentKey(), template, clientId, now };
      const deployment = { organizationId: orgId, ...draftDeployment(settings, by) };
      if (request.activate) Object.assign(deployment, moveDeployment(deployment, "activate", now));
      await requirePinnedVersion(tenant, deployment);
      await pinScreenshot(deps, tenant, deployment);
      checkNewOverrides(template, deployment);
      if (request.activate) await putInForce(tenant, { template, deployment }, now);
      return { deployment: deploymentMessage(addDeployment(tenant, deployment)) };
    });
  },
});

export const getDeployment = (deps: Pick<TemplatesDeps, "orm">): TemplatesRpcs<"getDeployment"> => ({
  async getDeployment(request, context) {
    const { orgId } = requireCaller(context);
    const id = parseDeploymentId(request.deploymentId);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const deployment = await findDeployment(tenant, id);
      if (deployment === null) throw new DomainError("CLICK_DEPLOYMENT_NOT_FOUND");
      return { deployment: deploymentMessage(deployment) };
    });
  },
});

export const listDeployments = (deps: Pick<TemplatesDeps, "orm">): TemplatesRpcs<"listDeployments"> => ({
  async listDeployments(request, context) {
    const { orgId } = requireCaller(context);
    const templateId = parseTemplateId(request.templateId);
    const status = deploymentStatusOf(request.status);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const template = await findTemplate(tenant, templateId);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const deployments = await findDeployments(tenant, { templateId, status });
      return { deployments: deployments.map(deploymentMessage) };
    });
  },
});

export const activateDeployment = (
  deps: Pick<TemplatesDeps, "orm" | "clock">,
): TemplatesRpcs<"activateDeployment"> => ({
  async activateDeployment(request, context) {
    const { orgId } = requireCaller(context);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const { template, deployment } = await openDeployment(tenant, request.deploymentId);
      requireActive(template);
      const now = deps.clock.now();
      const update = moveDeployment(deployment, "activate", now);
      if (update !== undefined) {
        Object.assign(deployment, update);
        checkPolicy(template, deployment);
        await putInForce(tenant, { template, deployment }, now);
      }
      return { deployment: deploymentMessage(deployment) };
    });
  },
});

export const deactivateDeployment = (
  deps: Pick<TemplatesDeps, "orm" | "clock">,
): TemplatesRpcs<"deactivateDeployment"> => ({
  async deactivateDeployment(request, context) {
    const { orgId } = requireCaller(context);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const { deployment } = await openDeployment(tenant, request.deploymentId);
      Object.assign(deployment, moveDeployment(deployment, "deactivate", deps.clock.now()));
      return { deployment: deploymentMessage(deployment) };
    });
  },
});

export const removeDeployment = (deps: Pick<TemplatesDeps, "orm">): TemplatesRpcs<"removeDeployment"> => ({
  async removeDeployment(request, context) {
    const { orgId } = requireCaller(context);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const { deployment } = await openDeployment(tenant, request.deploymentId);
      requireRemovable(deployment);
      await deleteDeployment(tenant, deployment.id);
      return {};
    });
  },
});

export const updateDeployment = (
  deps: Pick<TemplatesDeps, "orm" | "clock" | "screenshotBytes">,
): TemplatesRpcs<"updateDeployment"> => ({
  async updateDeployment(request, context) {
    const { orgId } = requireCaller(context);
    const changes = parseDeploymentChanges(request);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const { template, deployment } = await openDeployment(tenant, request.deploymentId);
      requireActive(template);
      const by = { templateName: template.name, force: request.force };
      const update = changeDeployment(deployment, changes, by);
      if (Object.keys(update).length === 0) return { deployment: deploymentMessage(deployment) };

      const now = deps.clock.now();
      Object.assign(deployment, update, { updatedAt: now });
      if ("versionId" in update) await requirePinnedVersion(tenant, deployment);
      if ("screenshotId" in update) await pinScreenshot(deps, tenant, deployment);
      if ("policyOverrides" in update) checkNewOverrides(template, deployment);
      else checkPolicy(template, deployment);
      if (deployment.status === "ACTIVE") await putInForce(tenant, { template, deployment }, now);
      return { deployment: deploymentMessage(deployment) };
    });
  },
});
