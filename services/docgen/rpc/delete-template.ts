import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { inOrganization } from "../store/orm.ts";
import { lockTemplate } from "../store/template-store.ts";
import type { DocgenDeps } from "./deps.ts";
import { canonicalId } from "./ids.ts";

/** Its versions stay: documents that were made from them name them. */
export const deleteTemplate = (
  deps: Pick<DocgenDeps, "orm" | "clock">,
): Pick<ServiceImpl<typeof DocgenService>, "deleteTemplate"> => ({
  async deleteTemplate(request, context) {
    const { orgId } = requireCaller(context);
    return inOrganization(orgId, deps.orm, async (em) => {
      const template = await lockTemplate(orgId, em, canonicalId(request.templateId));
      if (template === null) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
      Object.assign(template, { deletedAt: deps.clock.now() });
      return {};
    });
  },
});
