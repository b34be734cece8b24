import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p } from "@mikro-orm/core";
import type { Pool } from "pg";
import type { FreshText } from "#platform/config.ts";
import { createOrm, type OrmTenant, withOrgEm } from "#platform/db/orm.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Page } from "../domain/page.ts";
import type { JsonSchema, TemplateSource } from "../templating/template-source.ts";

export const schema = "docgen";

export const createDocgenOrm = (options: {
  url: FreshText;
  role?: string;
  max: number;
  onPool?: (pool: Pool) => void;
}) => createOrm({ ...options, name: "docgen", schema, entities: [TemplateEntity, TemplateVersionEntity] });

export type DocgenOrm = ReturnType<typeof createDocgenOrm>;

/** Runs `work` in one transaction of the organization and commits it. */
export const inOrganization = <T>(orgId: OrgId, orm: DocgenOrm, work: (tenant: OrmTenant) => Promise<T>): Promise<T> =>
  withOrgEm(orm, orgId, work);

export const TemplateVersionEntity = defineEntity({
  name: "TemplateVersion",
  tableName: "template_version",
  properties: {
    organizationId: p.uuid().primary(),
    templateId: p.uuid().primary(),
    version: p.integer().primary(),
    name: p.text(),
    format: p.text().$type<TemplateSource["format"]>(),
    content: p.text(),
    page: p.json<Page>(),
    locale: p.text(),
    dataSchema: p.json<JsonSchema>(),
    publishedAt: p.datetime(),
    publishedBy: p.text(),
  },
});

export const TemplateEntity = defineEntity({
  name: "Template",
  tableName: "template",
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    slug: p.text(),
    format: p.text().$type<TemplateSource["format"]>(),
    content: p.text(),
    page: p.json<Page>(),
    locale: p.text(),
    sampleData: p.json<JsonObject>().strictNullable(),
    publishedVersion: p.integer(),
    publishedAt: p.datetime().strictNullable(),
    createdBy: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    deletedAt: p.datetime().strictNullable(),
  },
});
