import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../domain/page.ts";
import type { JsonSchema, TemplateSource } from "../templating/template-source.ts";

const TemplateVersionSchema = defineEntity({
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

/** A row of docgen.template_version; has the shape of the domain's TemplateVersion. */
export class TemplateVersionEntity extends TemplateVersionSchema.class {}
TemplateVersionSchema.setClass(TemplateVersionEntity);
