import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../domain/page.ts";
import type { TemplateSource } from "../templating/template-source.ts";

const TemplateSchema = defineEntity({
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

/** A row of docgen.template; has the shape of the domain's Template. */
export class TemplateEntity extends TemplateSchema.class {}
TemplateSchema.setClass(TemplateEntity);
