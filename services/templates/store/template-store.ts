import { type EntityManager, LockMode } from "@mikro-orm/postgresql";
import { isUniqueViolation } from "#platform/db/orm.ts";
import type { OrgId } from "#platform/ids.ts";
import { numberedSlug } from "../domain/slug.ts";
import type { Template } from "../domain/template.ts";
import { TemplateEntity } from "./template.entity.ts";

/** Makes the row be written with the transaction's flush. */
export function addTemplate(orgId: OrgId, em: EntityManager, template: Omit<Template, "organizationId">): Template {
  const entity = em.create(TemplateEntity, { ...template, organizationId: orgId });
  em.persist(entity);
  return entity;
}

export async function findTemplate(orgId: OrgId, em: EntityManager, id: string): Promise<Template | null> {
  return em.findOne(TemplateEntity, { organizationId: orgId, id });
}

/** Until the end of the transaction nobody else changes, archives or publishes in this template. */
export async function lockTemplate(orgId: OrgId, em: EntityManager, id: string): Promise<Template | null> {
  return em.findOne(TemplateEntity, { organizationId: orgId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** Until the end of the transaction nobody changes or archives this template, but others may hold it like this. */
export async function holdTemplate(orgId: OrgId, em: EntityManager, id: string): Promise<Template | null> {
  return em.findOne(TemplateEntity, { organizationId: orgId, id }, { lockMode: LockMode.PESSIMISTIC_READ });
}

/** The place of a template in the list of its organization. */
export interface ListPosition {
  readonly createdAt: Date;
  readonly id: string;
}

export interface PageQuery {
  readonly after: ListPosition | undefined;
  readonly limit: number;
  readonly withVersions: boolean;
}

/** The ids of the templates after this one, newest first, and about how many bytes an answer with them will have. */
export async function pageOfTemplates(
  orgId: OrgId,
  em: EntityManager,
  page: PageQuery,
): Promise<{ id: string; bytes: number }[]> {
  const { after, limit, withVersions } = page;
  const older = after === undefined ? [] : [after.createdAt.toISOString(), after.id];
  const versionBytes = `coalesce((select sum(1000 + octet_length(v.content) + octet_length(v.texts::text))
    from templates.version v where v.organization_id = t.organization_id and v.template_id = t.id), 0)`;
  return em.execute<{ id: string; bytes: number }[]>(
    `select t.id, (1000 + octet_length(t.name) + coalesce(octet_length(t.description), 0)
        + octet_length(t.type_config::text) + octet_length(t.policy_flags::text) + octet_length(t.metadata::text)
        + ${withVersions ? versionBytes : "0"})::float8 as bytes
     from templates.template t
     where t.organization_id = ? ${older.length > 0 ? "and (t.created_at, t.id) < (?::timestamptz, ?::uuid)" : ""}
     order by t.created_at desc, t.id desc
     limit ?`,
    [orgId, ...older, limit],
  );
}

/** These templates, newest first. */
export async function findTemplates(orgId: OrgId, em: EntityManager, ids: readonly string[]): Promise<Template[]> {
  return em.find(
    TemplateEntity,
    { organizationId: orgId, id: { $in: [...ids] } },
    { orderBy: [{ createdAt: "desc" }, { id: "desc" }] },
  );
}

/** True when the error says that the slug was taken. */
export const isSlugTaken = (error: unknown): boolean => isUniqueViolation(error, "template_slug_key");

/**
 * The first of slug, slug-2, slug-3 … that no template has. Creations from the same slug wait for each other until the
 * end of their transactions; a client who chooses the result by hand at the same moment can still come first.
 */
export async function freeSlug(orgId: OrgId, em: EntityManager, slug: string): Promise<string> {
  await em.execute("select pg_advisory_xact_lock(hashtextextended(?, 0))", [`templates.slug ${orgId} ${slug}`]);
  for (let first = 1, count = 16; ; first += count, count *= 2) {
    const candidates = Array.from({ length: count }, (_, index) => numberedSlug(slug, first + index));
    const taken = await em.find(
      TemplateEntity,
      { organizationId: orgId, slug: { $in: candidates } },
      { fields: ["slug"], disableIdentityMap: true },
    );
    const takenSlugs = new Set(taken.map((template) => template.slug));
    const free = candidates.find((candidate) => !takenSlugs.has(candidate));
    if (free !== undefined) return free;
  }
}
