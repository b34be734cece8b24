import type { ServiceImpl } from "@connectrpc/connect";
import { SkipReason, type TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { insertOutboxEm } from "#platform/outbox/outbox.ts";
import { distinctIds } from "../domain/bulk.ts";
import { templateArchived } from "../events.ts";
import { countActiveDeployments } from "../store/deployment-store.ts";
import { inOrganization, schema } from "../store/orm.ts";
import { lockTemplates } from "../store/template-store.ts";
import type { TemplatesDeps } from "./deps.ts";

export const bulkArchiveTemplates = (
  deps: Pick<TemplatesDeps, "orm" | "clock" | "newId" | "wakeRelay">,
): Pick<ServiceImpl<typeof TemplatesService>, "bulkArchiveTemplates"> => ({
  async bulkArchiveTemplates(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const ids = distinctIds(request.templateIds);
    const response = await inOrganization(orgId, deps.orm, async (em) => {
      const templates = new Map((await lockTemplates(orgId, em, ids)).map((template) => [template.id, template]));
      const active = await countActiveDeployments(orgId, em, [...templates.keys()]);
      const now = deps.clock.now();
      const newlyArchived: string[] = [];
      const skipped: { id: string; reason: SkipReason }[] = [];
      for (const id of ids) {
        const template = templates.get(id);
        if (template === undefined) skipped.push({ id, reason: SkipReason.NOT_FOUND });
        else if (active.has(id)) skipped.push({ id, reason: SkipReason.HAS_ACTIVE_DEPLOYMENTS });
        else if (template.archivedAt === null) {
          Object.assign(template, { archivedAt: now, updatedAt: now });
          newlyArchived.push(id);
        }
      }
      const events = newlyArchived.map((id) => templateArchived({ caller, eventId: deps.newId(), now }, id));
      await insertOutboxEm(em, schema, events);
      return { archived: ids.length - skipped.length, skipped };
    });
    deps.wakeRelay();
    return response;
  },
});
