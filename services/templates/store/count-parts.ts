import type { EntityManager } from "@mikro-orm/postgresql";
import type { OrgId } from "#platform/ids.ts";

export interface TemplateParts {
  readonly totalVersions: number;
  readonly publishedVersions: number;
  readonly archivedVersions: number;
}

/** How many versions a template has; undefined when there is no such template. */
export async function countVersions(
  orgId: OrgId,
  em: EntityManager,
  templateId: string,
): Promise<TemplateParts | undefined> {
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
