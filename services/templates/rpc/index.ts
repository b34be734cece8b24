import { setTimeout as delay } from "node:timers/promises";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { activateDeployment } from "./activate-deployment.ts";
import { settleChanges } from "./answer-validity.ts";
import { applyPolicyFlags } from "./apply-policy-flags.ts";
import { archiveVersion } from "./archive-version.ts";
import { bulkArchiveTemplates } from "./bulk-archive-templates.ts";
import { bulkDuplicateTemplates } from "./bulk-duplicate-templates.ts";
import { countTemplateParts } from "./count-template-parts.ts";
import { createDeployment } from "./create-deployment.ts";
import { createTemplate } from "./create-template.ts";
import { createVersion } from "./create-version.ts";
import { deactivateDeployment } from "./deactivate-deployment.ts";
import type { TemplatesDeps } from "./deps.ts";
import { getDeployment } from "./get-deployment.ts";
import { getRevision } from "./get-revision.ts";
import { getTemplate } from "./get-template.ts";
import { getTemplateConfiguration } from "./get-template-configuration.ts";
import { getVersion } from "./get-version.ts";
import { listDeployments } from "./list-deployments.ts";
import { listPublishedPurposes } from "./list-published-purposes.ts";
import { listTemplateTypes } from "./list-template-types.ts";
import { listTemplates } from "./list-templates.ts";
import { listVersions } from "./list-versions.ts";
import { publishVersion } from "./publish-version.ts";
import { removeDeployment } from "./remove-deployment.ts";
import { removeTemplate } from "./remove-template.ts";
import { resolveDeployment } from "./resolve-deployment.ts";
import { resolveTemplates } from "./resolve-templates.ts";
import { updateDeployment } from "./update-deployment.ts";
import { updateTemplate } from "./update-template.ts";
import { updateVersion } from "./update-version.ts";
import { validateContent } from "./validate-content.ts";
import { withValidation } from "./with-validation.ts";

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
      ...updateVersion(deps),
      ...archiveVersion(deps),
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
      ...resolveDeployment(deps),
      ...resolveTemplates(deps),
      ...getRevision(deps),
      ...listPublishedPurposes(deps),
      ...countTemplateParts(deps),
    };
    router.service(TemplatesService, withValidation(deps, settleChanges(handlers, delay)));
  };
