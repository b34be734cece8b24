import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { fitPage } from "../domain/page.ts";
import { refuse } from "../domain/problems.ts";
import { unstorableTexts } from "../domain/text.ts";
import { inOrganization } from "../store/orm.ts";
import { pageOfTemplates } from "../store/template-page-store.ts";
import { findTemplates } from "../store/template-store.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import type { TemplatesDeps } from "./deps.ts";
import { describeTemplates } from "./views.ts";
import { fromWire, wireTemplateStatus } from "./wire-enums.ts";

const maxLimit = 1000;

/** A page ends early when its templates would not fit into one message; the cursor leads on as usual. */
export const listTemplates = (
  deps: Pick<TemplatesDeps, "orm">,
): Pick<ServiceImpl<typeof TemplatesService>, "listTemplates"> => ({
  async listTemplates(request, context) {
    const { orgId } = requireCaller(context);
    refuse(unstorableTexts("search", request.search));
    const after = readCursor(request.cursor);
    const limit = request.limit === 0 ? maxLimit : Math.min(request.limit, maxLimit);
    return inOrganization(orgId, deps.orm, async (em) => {
      const found = await pageOfTemplates(orgId, em, {
        after,
        limit: limit + 1,
        withVersions: request.includeVersions,
        search: request.search,
        status: fromWire(wireTemplateStatus, request.status),
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
