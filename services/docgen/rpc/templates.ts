import { type Caller, requireCaller } from "#platform/caller.ts";
import { createFreeSlugs, isSlugTaken, withDerivedSlugs } from "#platform/db/slugs.ts";
import { DomainError } from "#platform/errors.ts";
import { slugFromName } from "#platform/slug.ts";
import { refuse } from "../domain/problems.ts";
import { effectiveChanges, formatProblems, type Template } from "../domain/template.ts";
import { inOrganization, TemplateEntity } from "../store/orm.ts";
import { addTemplate, findTemplate, findUnchanged, lockTemplate, pageOfTemplates } from "../store/template-store.ts";
import type { DocgenDeps, DocgenRpcs } from "./deps.ts";
import { canonicalId, listedTemplateMessage, parseAfterId, templateMessage } from "./documents.ts";
import { type NewTemplate, parseNewTemplate, parseTemplateChanges } from "./template-versions.ts";

type Deps = Pick<DocgenDeps, "orm" | "clock" | "newId">;

export const createTemplate = (deps: Deps): DocgenRpcs<"createTemplate"> => ({
  async createTemplate(request, context) {
    const caller = requireCaller(context);
    const template = await insertTemplate(deps, caller, parseNewTemplate(request));
    return { template: templateMessage(template, true) };
  },
});

async function insertTemplate(deps: Deps, { orgId, clientId }: Caller, input: NewTemplate): Promise<Template> {
  const now = deps.clock.now();
  const draft = {
    ...input,
    id: deps.newId(),
    publishedVersion: 0,
    publishedAt: null,
    createdBy: clientId,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  };
  const insert = () =>
    inOrganization(orgId, deps.orm, async (tenant) => {
      const [slug = ""] = input.slug ? [input.slug] : await freeSlugs(tenant, [slugFromName(input.name)]);
      return addTemplate(tenant, { ...draft, slug });
    });
  if (input.slug === undefined) return withDerivedSlugs(insert);
  return insert().catch((error: unknown) => {
    throw isSlugTaken(error) ? new DomainError("GEN_TEMPLATE_SLUG_EXISTS", { cause: error }) : error;
  });
}

export const updateTemplate = (deps: Pick<DocgenDeps, "orm" | "clock">): DocgenRpcs<"updateTemplate"> => ({
  async updateTemplate(request, context) {
    const { orgId } = requireCaller(context);
    const id = canonicalId(request.templateId);
    const work = inOrganization(orgId, deps.orm, async (tenant) => {
      const template = await lockTemplate(tenant, id);
      if (template === null) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
      const update = effectiveChanges(template, parseTemplateChanges(request, template.page));
      refuse(formatProblems({ ...template, ...update }));
      if (Object.keys(update).length > 0) Object.assign(template, update, { updatedAt: deps.clock.now() });
      await tenant.em.flush();
      const unchanged = await findUnchanged(tenant, [id]);
      return { template: templateMessage(template, !unchanged.has(id)) };
    });
    return work.catch((error: unknown) => {
      throw isSlugTaken(error) ? new DomainError("GEN_TEMPLATE_SLUG_EXISTS", { cause: error }) : error;
    });
  },
});

/** Its versions stay: documents that were made from them name them. */
export const deleteTemplate = (deps: Pick<DocgenDeps, "orm" | "clock">): DocgenRpcs<"deleteTemplate"> => ({
  async deleteTemplate(request, context) {
    const { orgId } = requireCaller(context);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const template = await lockTemplate(tenant, canonicalId(request.templateId));
      if (template === null) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
      Object.assign(template, { deletedAt: deps.clock.now() });
      return {};
    });
  },
});

export const getTemplate = (deps: Pick<DocgenDeps, "orm">): DocgenRpcs<"getTemplate"> => ({
  async getTemplate(request, context) {
    const { orgId } = requireCaller(context);
    const id = canonicalId(request.templateId);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const template = await findTemplate(tenant, id);
      if (template === null) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
      const unchanged = await findUnchanged(tenant, [id]);
      return { template: templateMessage(template, !unchanged.has(id)) };
    });
  },
});

export const listTemplates = (deps: Pick<DocgenDeps, "orm">): DocgenRpcs<"listTemplates"> => ({
  async listTemplates(request, context) {
    const { orgId } = requireCaller(context);
    const { pageSize } = request;
    const afterId = parseAfterId(request.afterId);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const found = await pageOfTemplates(tenant, { afterId, limit: pageSize + 1 });
      const page = found.slice(0, pageSize);
      const unchanged = await findUnchanged(
        tenant,
        page.map((template) => template.id),
      );
      const templates = page.map((template) => listedTemplateMessage(template, !unchanged.has(template.id)));
      return { templates, hasMore: found.length > page.length };
    });
  },
});

/** For each of the slugs the first of slug, slug-2, slug-3 … that no living template has; all that are found differ. */
const freeSlugs = createFreeSlugs("docgen", ({ orgId, em }, slugs) =>
  em.find(
    TemplateEntity,
    { organizationId: orgId, slug: { $in: [...slugs] }, deletedAt: null },
    { fields: ["slug"], disableIdentityMap: true },
  ),
);
