import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { fitPage } from "../domain/page.ts";
import { inOrganization } from "../store/orm.ts";
import { findTemplates, pageOfTemplates } from "../store/template-store.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import type { TemplatesDeps } from "./deps.ts";
import { describeTemplates } from "./views.ts";

const maxLimit = 1000;

/** A page ends early when its templates would not fit into one message; the cursor leads on as usual. */
export const listTemplates = (
  deps: Pick<TemplatesDeps, "orm">,
): Pick<ServiceImpl<typeof TemplatesService>, "listTemplates"> => ({
  async listTemplates(request, context) {
    const { orgId } = requireCaller(context);
    const after = readCursor(request.cursor);
    const limit = request.limit === 0 ? maxLimit : Math.min(request.limit, maxLimit);
    return inOrganization(orgId, deps.orm, async (em) => {
      const found = await pageOfTemplates(orgId, em, {
        after,
        limit: limit + 1,
        withVersions: request.includeVersions,
      });
      const page = fitPage(found.slice(0, limit));
      const ids = page.map((item) => item.id);
      const templates = await findTemplates(orgId, em, ids);
      const last = templates.at(-1);
      return {
        templates: await describeTemplates(orgId, em, templates, request),
        nextCursor: found.length > page.length && last !== undefined ? writeCursor(last) : "",
      };
    });
  },
});
