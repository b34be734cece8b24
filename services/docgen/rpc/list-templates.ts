import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inOrganization } from "../store/orm.ts";
import { findUnchanged, pageOfTemplates } from "../store/template-store.ts";
import type { DocgenDeps } from "./deps.ts";
import { parseAfterId } from "./ids.ts";
import { listedTemplateMessage } from "./messages.ts";

export const listTemplates = (
  deps: Pick<DocgenDeps, "orm">,
): Pick<ServiceImpl<typeof DocgenService>, "listTemplates"> => ({
  async listTemplates(request, context) {
    const { orgId } = requireCaller(context);
    const { pageSize } = request;
    const afterId = parseAfterId(request.afterId);
    return inOrganization(orgId, deps.orm, async (em) => {
      const found = await pageOfTemplates(orgId, em, { afterId, limit: pageSize + 1 });
      const page = found.slice(0, pageSize);
      const unchanged = await findUnchanged(
        orgId,
        em,
        page.map((template) => template.id),
      );
      const templates = page.map((template) => listedTemplateMessage(template, !unchanged.has(template.id)));
      return { templates, hasMore: found.length > page.length };
    });
  },
});
