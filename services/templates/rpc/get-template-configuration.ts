import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { inOrganization } from "../store/orm.ts";
import { findTemplate } from "../store/template-store.ts";
import { describeConfiguration } from "./configuration-messages.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId } from "./ids.ts";

export const getTemplateConfiguration = (
  deps: Pick<TemplatesDeps, "orm">,
): Pick<ServiceImpl<typeof TemplatesService>, "getTemplateConfiguration"> => ({
  async getTemplateConfiguration(request, context) {
    const { orgId } = requireCaller(context);
    const id = parseTemplateId(request.templateId);
    return inOrganization(orgId, deps.orm, async (em) => {
      const template = await findTemplate(orgId, em, id);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      return { configuration: await describeConfiguration(orgId, em, template) };
    });
  },
});
