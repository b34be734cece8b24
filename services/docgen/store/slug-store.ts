import { createFreeSlugs } from "#platform/db/slugs.ts";
import { TemplateEntity } from "./orm.ts";

/** For each of the slugs the first of slug, slug-2, slug-3 … that no living template has; all that are found differ. */
export const freeSlugs = createFreeSlugs("docgen", ({ orgId, em }, slugs) =>
  em.find(
    TemplateEntity,
    { organizationId: orgId, slug: { $in: [...slugs] }, deletedAt: null },
    { fields: ["slug"], disableIdentityMap: true },
  ),
);
