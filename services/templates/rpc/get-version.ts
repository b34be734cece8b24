import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { listActiveDeployments } from "../store/deployment-store.ts";
import { inOrganization } from "../store/orm.ts";
import { findTemplate } from "../store/template-store.ts";
import { findVersion } from "../store/version-store.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId, parseVersionId } from "./ids.ts";
import { describeTemplates, describeVersions } from "./views.ts";

export const getVersion = (
  deps: Pick<TemplatesDeps, "orm">,
): Pick<ServiceImpl<typeof TemplatesService>, "getVersion"> => ({
  async getVersion(request, context) {
    const { orgId } = requireCaller(context);
    const templateId = parseTemplateId(request.templateId);
    return inOrganization(orgId, deps.orm, async (em) => {
      const template = await findTemplate(orgId, em, templateId);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const version = await findVersion(orgId, em, { templateId, id: parseVersionId(request.versionId) });
      if (version === null) throw new DomainError("CLICK_VERSION_NOT_FOUND");
      const [embedded] = request.includeTemplate
        ? await describeTemplates(orgId, em, [template], { includeVersions: false })
        : [];
      const deployments = request.includeDeployments ? await listActiveDeployments(orgId, em, templateId) : [];
      const [message] = await describeVersions(orgId, em, [version], embedded, deployments);
      return { version: message };
    });
  },
});
