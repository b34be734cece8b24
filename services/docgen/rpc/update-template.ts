import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { effectiveChanges } from "../domain/template.ts";
import { inOrganization } from "../store/orm.ts";
import { isSlugTaken } from "../store/slug-store.ts";
import { findUnchanged, lockTemplate } from "../store/template-store.ts";
import type { DocgenDeps } from "./deps.ts";
import { canonicalId } from "./ids.ts";
import { templateMessage } from "./messages.ts";
import { parseTemplateChanges } from "./template-input.ts";

export const updateTemplate = (
  deps: Pick<DocgenDeps, "orm" | "clock">,
): Pick<ServiceImpl<typeof DocgenService>, "updateTemplate"> => ({
  async updateTemplate(request, context) {
    const { orgId } = requireCaller(context);
    const id = canonicalId(request.templateId);
    const work = inOrganization(orgId, deps.orm, async (em) => {
      const template = await lockTemplate(orgId, em, id);
      if (template === null) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
      const update = effectiveChanges(template, parseTemplateChanges(request, template.page));
      if (Object.keys(update).length > 0) Object.assign(template, update, { updatedAt: deps.clock.now() });
      await em.flush();
      const unchanged = await findUnchanged(orgId, em, [id]);
      return { template: templateMessage(template, !unchanged.has(id)) };
    });
    return work.catch((error: unknown) => {
      throw isSlugTaken(error) ? new DomainError("GEN_TEMPLATE_SLUG_EXISTS", { cause: error }) : error;
    });
  },
});
