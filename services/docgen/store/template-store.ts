import { LockMode } from "@mikro-orm/postgresql";
import type { OrmTenant } from "#platform/db/orm.ts";
import type { Tenant } from "#platform/db/pool.ts";
import type { Page } from "../domain/page.ts";
import type { Template, TemplateVersion } from "../domain/template.ts";
import type { JsonSchema, TemplateSource } from "../templating/template-source.ts";
import { TemplateEntity, TemplateVersionEntity } from "./orm.ts";

/** Schedules the row to be written with the transaction's flush. */
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

/** Until the end of the transaction nobody else changes, publishes or deletes this template. */
export async function lockTemplate({ orgId, em }: OrmTenant, id: string): Promise<Template | null> {
  const options = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  return em.findOne(TemplateEntity, { organizationId: orgId, id, ...existing }, options);
}

export type ListedTemplate = Omit<Template, "content" | "sampleData">;

/**
 * Templates without their texts, newest first: ids begin with their time. A page goes on after the id of the one before
 * even when that template is gone.
 */
export async function pageOfTemplates(
  { orgId, em }: OrmTenant,
  page: { readonly afterId: string | undefined; readonly limit: number },
): Promise<ListedTemplate[]> {
  const { afterId, limit } = page;
  return em.find(
    TemplateEntity,
    { organizationId: orgId, ...existing, ...(afterId === undefined ? {} : { id: { $lt: afterId } }) },
    { exclude: ["content", "sampleData"], orderBy: { id: "desc" }, limit },
  );
}

/** Those of the templates whose draft is what they have published, without reading any text. */
export async function findUnchanged({ orgId, em }: OrmTenant, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await em.execute<{ id: string }[]>(
    `select t.id from docgen.template t
     join docgen.template_version v
       on v.organization_id = t.organization_id and v.template_id = t.id and v.version = t.published_version
     where t.organization_id = ? and t.id in (${ids.map(() => "?").join(", ")})
       and (t.name, t.format, t.content, t.page, t.locale) = (v.name, v.format, v.content, v.page, v.locale)`,
    [orgId, ...ids],
  );
  return new Set(rows.map((row) => row.id));
}

/** Null for one that was never published; does not look whether the template still exists. */
export async function findVersion(
  { orgId, em }: OrmTenant,
  name: { readonly templateId: string; readonly version: number },
): Promise<TemplateVersion | null> {
  return em.findOne(TemplateVersionEntity, { organizationId: orgId, ...name });
}

/** See addTemplate. */
export function addVersion({ orgId, em }: OrmTenant, version: Omit<TemplateVersion, "organizationId">): void {
  em.persist(em.create(TemplateVersionEntity, { ...version, organizationId: orgId }));
}

/** A version as renderings need it. */
export interface PublishedVersion {
  readonly templateId: string;
  readonly version: number;
  readonly name: string;
  readonly format: TemplateSource["format"];
  readonly content: string;
  readonly page: Page;
  readonly locale: string;
  readonly dataSchema: JsonSchema;
}

type FoundVersion =
  | { readonly kind: "found"; readonly version: PublishedVersion }
  /** There is no such template, or it has no version of this number. */
  | { readonly kind: "unknown" }
  | { readonly kind: "unpublished" };

/** This version of a template, or the published one when the number is 0; not for a deleted template. */
export async function findPublishedVersion(
  { orgId, client }: Tenant,
  name: { readonly templateId: string; readonly version: number },
): Promise<FoundVersion> {
  type Row = { publishedVersion: number } & Omit<PublishedVersion, "version"> & { version: number | null };
  const { rows } = await client.query<Row>({
    name: "docgen-find-published",
    text: `select t.id as "templateId", t.published_version as "publishedVersion", v.version, v.name, v.format, v.content, v.page,
       v.locale, v.data_schema as "dataSchema"
     from docgen.template t
     left join docgen.template_version v on v.organization_id = t.organization_id and v.template_id = t.id
       and v.version = case when $3 = 0 then t.published_version else $3 end
     where t.organization_id = $1 and t.id = $2 and t.deleted_at is null`,
    // Beyond what the column holds, and so beyond every version.
    values: [orgId, name.templateId, Math.min(name.version, 2 ** 31 - 1)],
  });
  const [row] = rows;
  if (row === undefined) return { kind: "unknown" };
  const { publishedVersion, version, ...same } = row;
  if (version !== null) return { kind: "found", version: { ...same, version } };
  return { kind: publishedVersion === 0 ? "unpublished" : "unknown" };
}
