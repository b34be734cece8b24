import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { insertOutboxEm } from "#platform/outbox/outbox.ts";
import { templateRemoved } from "../events.ts";
import { countActiveDeployments } from "../store/deployment-store.ts";
import { inOrganization, schema } from "../store/orm.ts";
import { deleteDeployments, deleteTemplate, lockTemplate } from "../store/template-store.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId } from "./ids.ts";

export const removeTemplate = (
  deps: Pick<TemplatesDeps, "orm" | "clock" | "newId" | "wakeRelay">,
): Pick<ServiceImpl<typeof TemplatesService>, "removeTemplate"> => ({
  async removeTemplate(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const id = parseTemplateId(request.templateId);
    await inOrganization(orgId, deps.orm, async (em) => {
      const template = await lockTemplate(orgId, em, id);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const active = await countActiveDeployments(orgId, em, [id]);
      if (active.size > 0) throw new DomainError("CLICK_TEMPLATE_HAS_ACTIVE_DEPLOYMENTS");
      const now = deps.clock.now();
      await insertOutboxEm(em, schema, [templateRemoved({ caller, eventId: deps.newId(), now }, id)]);
      if (template.firstPublishedAt === null) {
        await deleteTemplate(orgId, em, id);
      } else {
        // Somebody may have accepted one of its revisions.
        await deleteDeployments(orgId, em, id);
        Object.assign(template, { deletedAt: now, updatedAt: now });
      }
    });
    deps.wakeRelay();
    return {};
  },
});
