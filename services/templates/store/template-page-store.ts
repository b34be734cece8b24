import type { EntityManager } from "@mikro-orm/postgresql";
import type { OrgId } from "#platform/ids.ts";
import type { TemplateStatus } from "../domain/template.ts";

/** The place of a template in the list of its organization. */
export interface ListPosition {
  readonly createdAt: Date;
  readonly id: string;
}

export interface PageQuery {
  readonly after: ListPosition | undefined;
  readonly limit: number;
  readonly withVersions: boolean;
  /** What the name or the slug begins with; empty for all. */
  readonly search: string;
  readonly status: TemplateStatus | undefined;
}

/** The ids of the templates after this one, newest first, and about how many bytes an answer with them will have. */
export async function pageOfTemplates(
  orgId: OrgId,
  em: EntityManager,
  page: PageQuery,
): Promise<{ id: string; bytes: number }[]> {
  const conditions = [inOrganization(orgId), isOlder(page), beginsWith(page), stands(page)];
  const versionBytes = `coalesce((select sum(1000 + octet_length(v.content) + octet_length(v.texts::text))
    from templates.version v where v.organization_id = t.organization_id and v.template_id = t.id), 0)`;
  return em.execute<{ id: string; bytes: number }[]>(
    `select t.id, (1000 + octet_length(t.name) + coalesce(octet_length(t.description), 0)
        + octet_length(t.type_config::text) + octet_length(t.policy_flags::text) + octet_length(t.metadata::text)
        + ${page.withVersions ? versionBytes : "0"})::float8 as bytes
     from templates.template t
     where ${conditions.map(({ sql }) => sql).join(" and ")}
     order by t.created_at desc, t.id desc
     limit ?`,
    [...conditions.flatMap(({ values }) => values), page.limit],
  );
}

interface Condition {
  readonly sql: string;
  readonly values: readonly string[];
}

const always: Condition = { sql: "true", values: [] };

const inOrganization = (orgId: OrgId): Condition => ({
  sql: "t.organization_id = ? and t.deleted_at is null",
  values: [orgId],
});

const isOlder = ({ after }: PageQuery): Condition =>
  after === undefined
    ? always
    : { sql: "(t.created_at, t.id) < (?::timestamptz, ?::uuid)", values: [after.createdAt.toISOString(), after.id] };

/** Comparisons rather than LIKE, which row-level security would keep from every index. */
function beginsWith({ search }: PageQuery): Condition {
  if (search === "") return always;
  const range = [search, search];
  return {
    sql: `((t.name_search >= lower(?) and t.name_search < lower(?) || ${lastLetter})
      or (t.slug >= lower(?) and t.slug < lower(?) || ${lastLetter}))`,
    values: [...range, ...range],
  };
}

/** Comes after every other in the order of bytes. */
const lastLetter = "chr(1114111)";

/** As the indexes have it. */
const standing: Readonly<Record<TemplateStatus, string>> = {
  ARCHIVED: "t.archived_at is not null",
  PUBLISHED: "t.archived_at is null and t.is_published",
  DRAFT: "t.archived_at is null and not t.is_published",
};

const stands = ({ status }: PageQuery): Condition =>
  status === undefined ? always : { sql: standing[status], values: [] };
