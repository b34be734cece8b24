import { LockMode } from "@mikro-orm/postgresql";
import type { ListPosition } from "#platform/cursor.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Template, TemplateStatus } from "../domain/template.ts";
import type { PublishedVersion } from "../domain/version.ts";
import { TemplateEntity } from "./orm.ts";

/** Makes the row be written with the transaction's flush. */
export function addTemplate({ orgId, em }: OrmTenant, template: Omit<Template, "organizationId">): Template {
  const entity = em.create(TemplateEntity, { ...template, organizationId: orgId });
  em.persist(entity);
  return entity;
}

/** None of these functions sees a template that was deleted. */
const existing = { deletedAt: null };

export async function findTemplate({ orgId, em }: OrmTenant, id: string): Promise<Template | null> {
  return em.findOne(TemplateEntity, { organizationId: orgId, id, ...existing });
}

/** A template with what is published of it, oldest first, what is to be next, and how many of its deployments are active. */
interface FoundTemplate {
  readonly template: Template;
  readonly published: readonly PublishedVersion[];
  readonly active: number;
  /** When the next of its versions goes live. */
  readonly next: Date | null;
}

/** The same as findTemplate, listPublished, countActiveDeployments and listSchedulesOf answer: this is what programs read most. */
const readSql = `
  select t.organization_id as "organizationId", t.id, t.name, t.slug, t.type, t.description,
    t.default_locale as "defaultLocale", t.type_config as "typeConfig", t.policy_flags as "policyFlags", t.counterparty,
    t.metadata, t.brand_id as "brandId", t.created_by as "createdBy", t.first_published_at as "firstPublishedAt", t.archived_at as "archivedAt",
    t.deleted_at as "deletedAt", t.created_at as "createdAt", t.updated_at as "updatedAt",
    coalesce((
      select jsonb_agg(jsonb_build_object('id', v.id, 'templateId', v.template_id, 'locale', v.locale,
        'revision', v.revision, 'label', v.label) order by v.created_at, v.id)
      from templates.version v
      where v.organization_id = t.organization_id and v.template_id = t.id and v.status = 'PUBLISHED'), '[]') as published,
    (select count(*)::integer from templates.deployment d
      where d.organization_id = t.organization_id and d.template_id = t.id and d.status = 'ACTIVE') as active,
    (select min(s.publish_at) from templates.scheduled_publication s
      where s.organization_id = t.organization_id and s.template_id = t.id) as next
  from templates.template t
  where t.organization_id = $1 and t.id = $2 and t.deleted_at is null`;

export async function readTemplate({ orgId, client }: Tenant, id: string): Promise<FoundTemplate | undefined> {
  const statement = { name: "templates-read", text: readSql, values: [orgId, id] };
  const { rows } = await client.query<Template & Omit<FoundTemplate, "template">>(statement);
  const [found] = rows;
  if (found === undefined) return undefined;
  const { published, active, next, ...template } = found;
  return { template, published, active, next };
}

/** Locks the template against changes, archiving and publishing until the end of the transaction. */
export async function lockTemplate({ orgId, em }: OrmTenant, id: string): Promise<Template | null> {
  const options = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  return em.findOne(TemplateEntity, { organizationId: orgId, id, ...existing }, options);
}

/** Holds the template against changes and archiving until the end of the transaction; others may hold it too. */
export async function holdTemplate({ orgId, em }: OrmTenant, id: string): Promise<Template | null> {
  const options = { lockMode: LockMode.PESSIMISTIC_READ } as const;
  return em.findOne(TemplateEntity, { organizationId: orgId, id, ...existing }, options);
}

/**
 * lockTemplate for the existing ones among these. Always locks in the order of ids, so that transactions cannot
 * deadlock.
 */
export async function lockTemplates(tenant: OrmTenant, ids: readonly string[]): Promise<Template[]> {
  return findInLockOrder(tenant, ids, LockMode.PESSIMISTIC_WRITE);
}

/** holdTemplate for those of them that there are; see lockTemplates. */
export async function holdTemplates(tenant: OrmTenant, ids: readonly string[]): Promise<Template[]> {
  return findInLockOrder(tenant, ids, LockMode.PESSIMISTIC_READ);
}

async function findInLockOrder(
  { orgId, em }: OrmTenant,
  ids: readonly string[],
  lockMode: LockMode.PESSIMISTIC_READ | LockMode.PESSIMISTIC_WRITE,
): Promise<Template[]> {
  const where = { organizationId: orgId, id: { $in: [...ids] }, ...existing };
  return em.find(TemplateEntity, where, { orderBy: { id: "asc" }, lockMode });
}

/**
 * Deletes a template that was never published, with everything that belongs to it. Lock it first. Row-level
 * security refuses to delete anything that was ever published.
 */
export async function deleteTemplate(tenant: OrmTenant, id: string): Promise<void> {
  await deleteDeployments(tenant, id);
  await tenant.em.execute("delete from templates.version where organization_id = ? and template_id = ?", [
    tenant.orgId,
    id,
  ]);
  await tenant.em.execute("delete from templates.file where organization_id = ? and template_id = ?", [
    tenant.orgId,
    id,
  ]);
  await tenant.em.execute("delete from templates.template where organization_id = ? and id = ?", [tenant.orgId, id]);
}

/** The deployments of a template that goes away, with their screenshots; their snapshots stay. */
export async function deleteDeployments({ orgId, em }: OrmTenant, templateId: string): Promise<void> {
  await em.execute(
    `delete from templates.screenshot s using templates.deployment d
     where d.organization_id = ? and d.template_id = ? and s.organization_id = d.organization_id and s.deployment_id = d.id`,
    [orgId, templateId],
  );
  await em.execute("delete from templates.deployment where organization_id = ? and template_id = ?", [
    orgId,
    templateId,
  ]);
}

/** These templates, newest first. */
export async function findTemplates({ orgId, em }: OrmTenant, ids: readonly string[]): Promise<Template[]> {
  return em.find(
    TemplateEntity,
    { organizationId: orgId, id: { $in: [...ids] }, ...existing },
    { orderBy: [{ createdAt: "desc" }, { id: "desc" }] },
  );
}

interface PageQuery {
  readonly after: ListPosition | undefined;
  readonly limit: number;
  readonly withVersions: boolean;
  /** What the name or the slug begins with; empty for all. */
  readonly search: string;
  readonly status: TemplateStatus | undefined;
}

/** The ids of the templates after this one, newest first, and about how many bytes an answer with them will have. */
export async function pageOfTemplates(
  { orgId, em }: OrmTenant,
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
    : { sql: "(t.created_at, t.id) < (?::timestamptz, ?::uuid)", values: [after.at.toISOString(), after.id] };

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
