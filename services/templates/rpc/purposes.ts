import { requireCaller } from "#platform/caller.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import { countActiveDeployments } from "../store/deployment-store.ts";
import { inOrganization } from "../store/orm.ts";
import { parseTemplateId, type TemplatesDeps, type TemplatesRpcs } from "./deps.ts";

export const listPublishedPurposes = (deps: Pick<TemplatesDeps, "orm">): TemplatesRpcs<"listPublishedPurposes"> => ({
  async listPublishedPurposes(request, context) {
    const { orgId } = requireCaller(context);
    const purposes = [...new Set(request.purposes)].filter((purpose) => keyPattern.test(purpose));
    if (purposes.length === 0) return { purposes: [] };
    const found = await inOrganization(orgId, deps.orm, (tenant) =>
      findPublishedPurposes(tenant, purposes, templatesEach),
    );
    return { purposes: found };
  },
});

/** What cannot be the key of a purpose is not looked for. */
const keyPattern = /^[a-z][a-z0-9_]{0,63}$/;

const templatesEach = 10;

export const countTemplateParts = (deps: Pick<TemplatesDeps, "orm">): TemplatesRpcs<"countTemplateParts"> => ({
  async countTemplateParts(request, context) {
    const { orgId } = requireCaller(context);
    const templateId = parseTemplateId(request.templateId);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const versions = await countVersions(tenant, templateId);
      if (versions === undefined) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const active = await countActiveDeployments(tenant, [templateId]);
      return { ...versions, activeDeployments: active.get(templateId) ?? 0 };
    });
  },
});

/** A purpose that a published CONSENT template asks for. */
export interface PublishedPurpose {
  readonly purpose: string;
  readonly templateId: string;
}

/** The templates that ask for these purposes now, for each purpose the one that was published last first. */
async function findPublishedPurposes(
  { orgId, em }: OrmTenant,
  purposes: readonly string[],
  limitEach: number,
): Promise<PublishedPurpose[]> {
  return em.execute<PublishedPurpose[]>(
    `select purpose, template_id as "templateId" from (
       select p.purpose, t.id as template_id,
         row_number() over (partition by p.purpose order by v.published_at desc, t.id desc) as n
       from templates.template t
       cross join lateral (
         select distinct key #>> '{}' as purpose from jsonb_path_query(t.type_config, 'lax $.purposes[*].key') key
       ) p
       cross join lateral (
         select max(published_at) as published_at from templates.version
         where organization_id = t.organization_id and template_id = t.id and status = 'PUBLISHED'
       ) v
       where t.organization_id = ? and t.type = 'CONSENT' and t.archived_at is null and t.deleted_at is null
         and v.published_at is not null
         and p.purpose in (select json_array_elements_text(?::json))
     ) ranked
     where n <= ?
     order by purpose, n`,
    [orgId, JSON.stringify(purposes), limitEach],
  );
}

interface TemplateParts {
  readonly totalVersions: number;
  readonly publishedVersions: number;
  readonly archivedVersions: number;
}

/** How many versions a template has; undefined when there is no such template. */
async function countVersions({ orgId, em }: OrmTenant, templateId: string): Promise<TemplateParts | undefined> {
  const rows = await em.execute<TemplateParts[]>(
    `select count(v.id)::integer as "totalVersions",
       count(v.id) filter (where v.status = 'PUBLISHED')::integer as "publishedVersions",
       count(v.id) filter (where v.status = 'ARCHIVED')::integer as "archivedVersions"
     from templates.template t
     left join templates.version v on v.organization_id = t.organization_id and v.template_id = t.id
     where t.organization_id = ? and t.id = ? and t.deleted_at is null
     group by t.id`,
    [orgId, templateId],
  );
  return rows[0];
}
