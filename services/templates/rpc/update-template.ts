import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { changeTemplate } from "../domain/template.ts";
import { inOrganization } from "../store/orm.ts";
import { isSlugTaken, lockTemplate } from "../store/template-store.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId } from "./ids.ts";
import { parseTemplateChanges } from "./template-input.ts";
import { describeTemplates } from "./views.ts";

export const updateTemplate = (
  deps: Pick<TemplatesDeps, "orm" | "clock">,
): Pick<ServiceImpl<typeof TemplatesService>, "updateTemplate"> => ({
  async updateTemplate(request, context) {
    const { orgId } = requireCaller(context);
    const changes = parseTemplateChanges(request);
    const id = parseTemplateId(request.templateId);
    const work = inOrganization(orgId, deps.orm, async (em) => {
      const template = await lockTemplate(orgId, em, id);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const update = changeTemplate(template, changes);
      if (Object.keys(update).length > 0) Object.assign(template, update, { updatedAt: deps.clock.now() });
      const [message] = await describeTemplates(orgId, em, [template], { includeVersions: false });
      return { template: message };
    });
    return work.catch((error: unknown) => {
      throw isSlugTaken(error) ? new DomainError("CLICK_TEMPLATE_SLUG_EXISTS", { cause: error }) : error;
    });
  },
});
