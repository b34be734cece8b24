import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { inOrganization } from "../store/orm.ts";
import { findTemplate } from "../store/template-store.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId } from "./ids.ts";
import { describeTemplates } from "./views.ts";

export const getTemplate = (
  deps: Pick<TemplatesDeps, "orm">,
): Pick<ServiceImpl<typeof TemplatesService>, "getTemplate"> => ({
  async getTemplate(request, context) {
    const { orgId } = requireCaller(context);
    const id = parseTemplateId(request.templateId);
    return inOrganization(orgId, deps.orm, async (em) => {
      const template = await findTemplate(orgId, em, id);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const [message] = await describeTemplates(orgId, em, [template], request);
      return { template: message };
    });
  },
});
