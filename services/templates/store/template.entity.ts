import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p } from "@mikro-orm/core";
import type { PolicyFlags } from "../domain/policy-flags.ts";
import type { Counterparty, TemplateType } from "../domain/template.ts";

const TemplateSchema = defineEntity({
  name: "Template",
  tableName: "template",
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    slug: p.text(),
    type: p.text().$type<TemplateType>(),
    description: p.text().strictNullable(),
    defaultLocale: p.text(),
    typeConfig: p.json<JsonObject>(),
    policyFlags: p.json<PolicyFlags>(),
    counterparty: p.json<Counterparty>().strictNullable(),
    metadata: p.json<Readonly<Record<string, string>>>(),
    createdBy: p.text(),
    firstPublishedAt: p.datetime().strictNullable(),
    archivedAt: p.datetime().strictNullable(),
    deletedAt: p.datetime().strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** A row of templates.template; has the shape of the domain's Template. */
export class TemplateEntity extends TemplateSchema.class {}
TemplateSchema.setClass(TemplateEntity);
