import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { insertOutboxEm } from "#platform/outbox/outbox.ts";
import { changeTemplate, type TemplateChanges } from "../domain/template.ts";
import { templateRestored } from "../events.ts";
import { inOrganization, schema } from "../store/orm.ts";
import { isSlugTaken } from "../store/slug-store.ts";
import { findTemplate, lockTemplate } from "../store/template-store.ts";
import { renewSnapshots } from "./deployment-rules.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId } from "./ids.ts";
import { checkAhead, readPublished, requireStillPublishable } from "./published-contents.ts";
import { parseTemplateChanges } from "./template-input.ts";
import { describeTemplates } from "./views.ts";

type Deps = Pick<TemplatesDeps, "orm" | "checker" | "clock" | "newId" | "wakeRelay">;

export const updateTemplate = (deps: Deps): Pick<ServiceImpl<typeof TemplatesService>, "updateTemplate"> => ({
  async updateTemplate(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const changes = parseTemplateChanges(request);
    const id = parseTemplateId(request.templateId);
    if (changes.typeConfig !== undefined) await checkBeforehand(deps, orgId, id, changes);
    const work = inOrganization(orgId, deps.orm, async (em) => {
      const template = await lockTemplate(orgId, em, id);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const update = changeTemplate(template, changes);
      const now = deps.clock.now();
      if (Object.keys(update).length > 0) Object.assign(template, update, { updatedAt: now });
      if (update.typeConfig !== undefined) {
        await requireStillPublishable(deps.checker, template, await readPublished(orgId, em, id));
      }
      if (update.archivedAt === null) {
        await insertOutboxEm(em, schema, [templateRestored({ caller, eventId: deps.newId(), now }, id)]);
      }
      if (update.policyFlags !== undefined) await renewSnapshots(orgId, em, template, now);
      const [message] = await describeTemplates(orgId, em, [template], { includeVersions: false });
      return { template: message };
    });
    const response = await work.catch((error: unknown) => {
      throw isSlugTaken(error) ? new DomainError("CLICK_TEMPLATE_SLUG_EXISTS", { cause: error }) : error;
    });
    deps.wakeRelay();
    return response;
  },
});

/** A long content takes its time to check; nobody should wait for the locks meanwhile. */
async function checkBeforehand(deps: Deps, orgId: OrgId, id: string, changes: TemplateChanges): Promise<void> {
  const ahead = await inOrganization(orgId, deps.orm, async (em) => {
    const template = await findTemplate(orgId, em, id);
    if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
    const { type, typeConfig } = { ...template, ...changeTemplate(template, changes) };
    return { terms: { type, typeConfig }, versions: await readPublished(orgId, em, id) };
  });
  await checkAhead(deps.checker, ahead.terms, ahead.versions);
}
