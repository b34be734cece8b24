import { SkipReason } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import { withDerivedSlugs } from "#platform/db/slugs.ts";
import { insertOutboxEm } from "#platform/outbox/outbox.ts";
import { slugFromName } from "#platform/slug.ts";
import { refuse } from "../domain/problems.ts";
import type { Template } from "../domain/template.ts";
import { unstorableTexts } from "../domain/text.ts";
import { templateArchived } from "../events.ts";
import { countActiveDeployments } from "../store/deployment-store.ts";
import { inOrganization, schema } from "../store/orm.ts";
import { addTemplate, holdTemplates, lockTemplates } from "../store/template-store.ts";
import type { TemplatesDeps, TemplatesRpcs } from "./deps.ts";
import { cancelSchedulesOf } from "./schedule.ts";
import { freeSlugs } from "./templates.ts";

export const bulkArchiveTemplates = (
  deps: Pick<TemplatesDeps, "orm" | "clock" | "newId" | "wakeRelay">,
): TemplatesRpcs<"bulkArchiveTemplates"> => ({
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
      await cancelSchedulesOf({ deps, caller, tenant, now }, newlyArchived);
      return { archived: ids.length - skipped.length, skipped };
    });
    deps.wakeRelay();
    return response;
  },
});

type Deps = Pick<TemplatesDeps, "orm" | "clock" | "newId">;

export const bulkDuplicateTemplates = (deps: Deps): TemplatesRpcs<"bulkDuplicateTemplates"> => ({
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

/** The ids in the form they are stored in and in the order they came, each once. */
export const distinctIds = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => id.toLowerCase()))];

const maxNameLength = 255;
const placeholder = "{name}";

export const defaultNamePattern = `${placeholder} (copy)`;

/**
 * The name of a copy: the pattern with the source's name for every {name}. When that is too long, the source's name is
 * cut and the pattern kept, so that what tells the copy apart is never lost. Lengths count characters as people do.
 */
export function copyName(pattern: string, name: string): string {
  const pieces = pattern.split(placeholder);
  const insertions = pieces.length - 1;
  if (insertions === 0) return pattern;
  const room = maxNameLength - Array.from(pieces.join("")).length;
  return pieces.join(
    Array.from(name)
      .slice(0, Math.floor(room / insertions))
      .join(""),
  );
}

/** What a copy takes over: everything that says what the template is, nothing that says what became of it. */
const copyTemplate = (
  source: Template,
  by: { readonly id: string; readonly name: string; readonly clientId: string; readonly now: Date },
): Omit<Template, "organizationId" | "slug"> => ({
  id: by.id,
  name: by.name,
  type: source.type,
  description: source.description,
  defaultLocale: source.defaultLocale,
  typeConfig: source.typeConfig,
  policyFlags: source.policyFlags,
  counterparty: source.counterparty,
  metadata: source.metadata,
  brandId: source.brandId,
  createdBy: by.clientId,
  firstPublishedAt: null,
  archivedAt: null,
  deletedAt: null,
  createdAt: by.now,
  updatedAt: by.now,
});
