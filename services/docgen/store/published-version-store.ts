import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { Page } from "../domain/page.ts";
import type { JsonSchema, TemplateSource } from "../templating/template-source.ts";

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

export type FoundVersion =
  | { readonly kind: "found"; readonly version: PublishedVersion }
  /** There is no such template, or it has no version of this number. */
  | { readonly kind: "unknown" }
  | { readonly kind: "unpublished" };

/** This version of a template, or the published one when the number is 0; not of a template that was deleted. */
export async function findPublishedVersion(
  orgId: OrgId,
  client: pg.PoolClient,
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
