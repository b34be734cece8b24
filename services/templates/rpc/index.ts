import { setTimeout as delay } from "node:timers/promises";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import {
  decideVersionApproval,
  getPublicationRules,
  getVersionApproval,
  listApprovalRequests,
  requestVersionApproval,
  setPublicationRules,
} from "./approvals.ts";
import { bulkArchiveTemplates, bulkDuplicateTemplates } from "./bulk.ts";
import { applyPolicyFlags, getTemplateConfiguration } from "./configuration.ts";
import {
  activateDeployment,
  createDeployment,
  deactivateDeployment,
  getDeployment,
  listDeployments,
  removeDeployment,
  updateDeployment,
} from "./deployments.ts";
import type { TemplatesDeps } from "./deps.ts";
import { withDuePublications } from "./due-publications.ts";
import { createTemplateFile, getTemplateFile } from "./files.ts";
import { getRevision } from "./get-revision.ts";
import { publishVersion } from "./publish-version.ts";
import { countTemplateParts, listPublishedPurposes } from "./purposes.ts";
import { resolveDeployment, resolveTemplates, settleChanges } from "./resolve-templates.ts";
import { cancelVersionSchedule } from "./schedule.ts";
import { createScreenshot, deleteScreenshot, getScreenshot, listScreenshots } from "./screenshots.ts";
import { createTemplate, getTemplate, listTemplates, listTemplateTypes, removeTemplate } from "./templates.ts";
import { updateTemplate } from "./update-template.ts";
import { updateVersion } from "./update-version.ts";
import {
  archiveVersion,
  createVersion,
  deleteVersionDraft,
  getVersion,
  getVersionDraft,
  listVersions,
  putVersionDraft,
} from "./versions.ts";
import { validateContent, withValidation } from "./with-validation.ts";

export const templatesRoutes =
  (deps: TemplatesDeps): RpcRoutes =>
  (router) => {
    const handlers = {
      ...createTemplate(deps),
      ...getTemplate(deps),
      ...listTemplates(deps),
      ...updateTemplate(deps),
      ...createVersion(deps),
      ...getVersion(deps),
      ...listVersions(deps),
      ...publishVersion(deps),
      ...cancelVersionSchedule(deps),
      ...updateVersion(deps),
      ...archiveVersion(deps),
      ...getVersionDraft(deps),
      ...putVersionDraft(deps),
      ...deleteVersionDraft(deps),
      ...getVersionApproval(deps),
      ...requestVersionApproval(deps),
      ...decideVersionApproval(deps),
      ...listApprovalRequests(deps),
      ...getPublicationRules(deps),
      ...setPublicationRules(deps),
      ...removeTemplate(deps),
      ...bulkArchiveTemplates(deps),
      ...bulkDuplicateTemplates(deps),
      ...listTemplateTypes(),
      ...validateContent(deps),
      ...getTemplateConfiguration(deps),
      ...applyPolicyFlags(deps),
      ...createDeployment(deps),
      ...listDeployments(deps),
      ...getDeployment(deps),
      ...updateDeployment(deps),
      ...activateDeployment(deps),
      ...deactivateDeployment(deps),
      ...removeDeployment(deps),
      ...createScreenshot(deps),
      ...listScreenshots(deps),
      ...getScreenshot(deps),
      ...deleteScreenshot(deps),
      ...createTemplateFile(deps),
      ...getTemplateFile(deps),
      ...resolveDeployment(deps),
      ...resolveTemplates(deps),
      ...getRevision(deps),
      ...listPublishedPurposes(deps),
      ...countTemplateParts(deps),
    };
    const settled = settleChanges(withDuePublications(deps, handlers), delay);
    router.service(TemplatesService, withValidation(deps, settled));
  };
