import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type CreateDeploymentRequest,
  type Deployment,
  DeploymentFieldsSchema,
  DeploymentSchema,
  DeploymentStatus,
  type Screenshot,
  ScreenshotSchema,
  type Template,
  type TemplateFile,
  TemplateFileSchema,
  type TemplatesService,
  type UpdateDeploymentRequest,
} from "#gen/assent/templates/v1/templates_pb.ts";
import type { Caller, requireCaller } from "#platform/caller.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { DomainError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";

/** What the parts of the fake share. */
export interface FakeTemplateStore {
  enter(context: Parameters<typeof requireCaller>[0]): Caller;
  findTemplate(id: string, caller: Caller): Template;
}

const now = timestampFromDate(new Date("2026-11-20T17:00:00.123Z"));

/** Deployments that are kept in memory. */
export function createFakeDeployments({ enter, findTemplate }: FakeTemplateStore) {
  const deployments = new Map<string, Deployment>();
  const files = new Map<string, { readonly file: TemplateFile; readonly content: Uint8Array }>();
  const screenshots = new Map<string, { readonly screenshot: Screenshot; readonly content: Uint8Array }>();
  const seen: { created: CreateDeploymentRequest[]; updates: UpdateDeploymentRequest[]; lists: DeploymentStatus[] } = {
    created: [],
    updates: [],
    lists: [],
  };
  const find = (id: string, caller: Caller): Deployment => {
    const deployment = deployments.get(id);
    if (deployment?.organizationId !== caller.orgId) throw new DomainError("CLICK_DEPLOYMENT_NOT_FOUND");
    return deployment;
  };
  const findScreenshot = (name: { readonly deploymentId: string; readonly screenshotId: string }, caller: Caller) => {
    const found = screenshots.get(name.screenshotId);
    const { id } = find(name.deploymentId, caller);
    if (found?.screenshot.deploymentId !== id) throw new DomainError("CLICK_SCREENSHOT_NOT_FOUND");
    return found;
  };
  const move = (id: string, caller: Caller, status: DeploymentStatus) => {
    const deployment = find(id, caller);
    deployment.status = status;
    deployment.activatedAt = now;
    return { deployment };
  };

  const handlers = {
    createDeployment: (request, context) => {
      const caller = enter(context);
      findTemplate(request.templateId, caller);
      seen.created.push(request);
      const { $typeName: _type, ...fields } = request.fields ?? create(DeploymentFieldsSchema);
      const { name = "Derived", environment = "LIVE", surface = "WEB" } = fields;
      const { displayMode = "INLINE", wrapType = "CLICKWRAP" } = fields;
      const deployment = create(DeploymentSchema, {
        ...fields,
        name,
        environment,
        surface,
        displayMode,
        wrapType,
        id: newId(),
        organizationId: caller.orgId,
        templateId: request.templateId,
        key: "dep_0123456789abcdefABCDEF",
        status: request.activate ? DeploymentStatus.ACTIVE : DeploymentStatus.DRAFT,
        createdAt: now,
        updatedAt: now,
      });
      deployments.set(deployment.id, deployment);
      return { deployment };
    },
    listDeployments: ({ templateId, status }, context) => {
      findTemplate(templateId, enter(context));
      seen.lists.push(status);
      const own = [...deployments.values()].filter((d) => d.templateId === templateId);
      return { deployments: own.filter((d) => status === DeploymentStatus.UNSPECIFIED || d.status === status) };
    },
    getDeployment: ({ deploymentId }, context) => ({ deployment: find(deploymentId, enter(context)) }),
    updateDeployment: (request, context) => {
      const deployment = find(request.deploymentId, enter(context));
      seen.updates.push(request);
      return { deployment };
    },
    activateDeployment: ({ deploymentId }, context) => move(deploymentId, enter(context), DeploymentStatus.ACTIVE),
    deactivateDeployment: ({ deploymentId }, context) => move(deploymentId, enter(context), DeploymentStatus.INACTIVE),
    removeDeployment: ({ deploymentId }, context) => {
      const { status } = find(deploymentId, enter(context));
      if (status === DeploymentStatus.ACTIVE) throw new DomainError("CLICK_DEPLOYMENT_ACTIVE");
      deployments.delete(deploymentId);
      return {};
    },
    createScreenshot: ({ deploymentId, content }, context) => {
      find(deploymentId, enter(context));
      const screenshot = create(ScreenshotSchema, {
        ...{ id: `shot_${String(screenshots.size).padStart(22, "0")}`, deploymentId, contentType: "image/png" },
        ...{ width: 1, height: 1, size: content.length, hash: sha256Label(content) },
        ...{ createdBy: "cl_1", createdAt: now },
      });
      screenshots.set(screenshot.id, { screenshot, content });
      return { screenshot };
    },
    createTemplateFile: ({ templateId, content }, context) => {
      findTemplate(templateId, enter(context));
      const hash = sha256Label(content);
      const facts = { contentHash: hash, hash, sentHash: hash, size: content.length, pages: 1, content: "{}" };
      const file = create(TemplateFileSchema, { ...facts, templateId, createdBy: "cl_1", createdAt: now });
      files.set(`${templateId} ${hash}`, { file, content });
      return { file };
    },
    getTemplateFile: ({ templateId, contentHash }, context) => {
      findTemplate(templateId, enter(context));
      const found = files.get(`${templateId} ${contentHash}`);
      if (found === undefined) throw new DomainError("CLICK_FILE_NOT_FOUND");
      return found;
    },
    listScreenshots: ({ deploymentId }, context) => {
      find(deploymentId, enter(context));
      const all = [...screenshots.values()].map(({ screenshot }) => screenshot);
      return { screenshots: all.filter((one) => one.deploymentId === deploymentId) };
    },
    getScreenshot: (name, context) => findScreenshot(name, enter(context)),
    deleteScreenshot: (name, context) => {
      screenshots.delete(findScreenshot(name, enter(context)).screenshot.id);
      return {};
    },
  } satisfies Partial<ServiceImpl<typeof TemplatesService>>;

  /** The active ones. */
  const of = (templateId: string): Deployment[] =>
    [...deployments.values()].filter((d) => d.templateId === templateId && d.status === DeploymentStatus.ACTIVE);
  return { handlers, seen, of };
}
