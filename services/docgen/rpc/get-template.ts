import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { inOrganization } from "../store/orm.ts";
import { findTemplate, findUnchanged } from "../store/template-store.ts";
import type { DocgenDeps } from "./deps.ts";
import { canonicalId } from "./ids.ts";
import { templateMessage } from "./messages.ts";

export const getTemplate = (deps: Pick<DocgenDeps, "orm">): Pick<ServiceImpl<typeof DocgenService>, "getTemplate"> => ({
  async getTemplate(request, context) {
    const { orgId } = requireCaller(context);
    const id = canonicalId(request.templateId);
    return inOrganization(orgId, deps.orm, async (em) => {
      const template = await findTemplate(orgId, em, id);
      if (template === null) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
      const unchanged = await findUnchanged(orgId, em, [id]);
      return { template: templateMessage(template, !unchanged.has(id)) };
    });
  },
});
