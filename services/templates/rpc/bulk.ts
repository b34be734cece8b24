import type { ServiceImpl } from "@connectrpc/connect";
import { SkipReason, type TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import { withDerivedSlugs } from "#platform/db/slugs.ts";
import { insertOutboxEm } from "#platform/outbox/outbox.ts";
import { copyName, copyTemplate, defaultNamePattern, distinctIds } from "../domain/bulk.ts";
import { refuse } from "../domain/problems.ts";
import { slugFromName } from "../domain/slug.ts";
import type { Template } from "../domain/template.ts";
import { unstorableTexts } from "../domain/text.ts";
import { templateArchived } from "../events.ts";
import { countActiveDeployments } from "../store/deployment-store.ts";
import { inOrganization, schema } from "../store/orm.ts";
import { freeSlugs } from "../store/slug-store.ts";
import { addTemplate, holdTemplates, lockTemplates } from "../store/template-store.ts";
import type { TemplatesDeps } from "./deps.ts";

export const bulkArchiveTemplates = (
  deps: Pick<TemplatesDeps, "orm" | "clock" | "newId" | "wakeRelay">,
): Pick<ServiceImpl<typeof TemplatesService>, "bulkArchiveTemplates"> => ({
  async bulkArchiveTemplates(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const ids = distinctIds(request.templateIds);
    const response = await inOrganization(orgId, deps.orm, async (tenant) => {
      const templates = new Map((await lockTemplates(tenant, ids)).map((template) => [template.id, template]));
      const active = await countActiveDeployments(tenant, [...templates.keys()]);
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
      await insertOutboxEm(tenant.em, schema, events);
      return { archived: ids.length - skipped.length, skipped };
    });
    deps.wakeRelay();
    return response;
  },
});

type Deps = Pick<TemplatesDeps, "orm" | "clock" | "newId">;

export const bulkDuplicateTemplates = (
  deps: Deps,
): Pick<ServiceImpl<typeof TemplatesService>, "bulkDuplicateTemplates"> => ({
  async bulkDuplicateTemplates(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const { namePattern = defaultNamePattern } = request;
    refuse(unstorableTexts("namePattern", namePattern));
    const ids = distinctIds(request.templateIds);
    return withDerivedSlugs(() =>
      inOrganization(orgId, deps.orm, async (tenant) => {
        const held = new Map((await holdTemplates(tenant, ids)).map((template) => [template.id, template]));
        const sources = ids.map((id) => held.get(id)).filter((template) => template !== undefined);
        const unknown = ids.filter((id) => !held.has(id));
        return {
          duplicates: await duplicate({ deps, caller, tenant }, sources, namePattern),
          skipped: unknown.map((id) => ({ id, reason: SkipReason.NOT_FOUND })),
        };
      }),
    );
  },
});

interface Job {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly tenant: OrmTenant;
}

async function duplicate(job: Job, sources: readonly Template[], namePattern: string) {
  const { deps, tenant } = job;
  const { clientId } = job.caller;
  const now = deps.clock.now();
  const names = sources.map((source) => copyName(namePattern, source.name));
  const slugs = await freeSlugs(tenant, names.map(slugFromName));
  const copies = sources.map((source, index) => {
    const by = { id: deps.newId(), name: names[index] ?? "", clientId, now };
    return { sourceId: source.id, template: { ...copyTemplate(source, by), slug: slugs[index] ?? "" } };
  });
  // Slugs are locked in the same order everywhere, so that writers cannot deadlock.
  for (const { template } of copies.toSorted((a, b) => (a.template.slug < b.template.slug ? -1 : 1))) {
    addTemplate(tenant, template);
  }
  return copies.map(({ sourceId, template }) => ({ sourceId, newId: template.id, name: template.name }));
}
