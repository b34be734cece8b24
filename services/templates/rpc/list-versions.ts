import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { inOrganization } from "../store/orm.ts";
import { findTemplate } from "../store/template-store.ts";
import { listVersions as findVersions } from "../store/version-store.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId } from "./ids.ts";
import { describeTemplates, describeVersions } from "./views.ts";

export const listVersions = (
  deps: Pick<TemplatesDeps, "orm">,
): Pick<ServiceImpl<typeof TemplatesService>, "listVersions"> => ({
  async listVersions(request, context) {
    const { orgId } = requireCaller(context);
    const templateId = parseTemplateId(request.templateId);
    const { includeTemplate, publishedOnly } = request;
    return inOrganization(orgId, deps.orm, async (em) => {
      const template = await findTemplate(orgId, em, templateId);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const versions = await findVersions(orgId, em, { templateIds: [templateId], publishedOnly });
      const [embedded] = includeTemplate
        ? await describeTemplates(orgId, em, [template], { includeVersions: false })
        : [];
      return { versions: await describeVersions(orgId, em, versions, embedded) };
    });
  },
});
