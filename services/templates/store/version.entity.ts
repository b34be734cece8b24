import { defineEntity, p } from "@mikro-orm/core";
import type { ContentFormat, VersionTexts } from "../domain/content.ts";
import type { VersionStatus } from "../domain/version.ts";

const VersionSchema = defineEntity({
  name: "Version",
  tableName: "version",
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    templateId: p.uuid(),
    locale: p.text(),
    title: p.text().strictNullable(),
    content: p.text(),
    contentHash: p.text(),
    format: p.text().$type<ContentFormat>(),
    changeSummary: p.text().strictNullable(),
    effectiveAt: p.datetime().strictNullable(),
    texts: p.json<VersionTexts>(),
    status: p.text().$type<VersionStatus>(),
    revision: p.integer(),
    label: p.text().strictNullable(),
    publishedAt: p.datetime().strictNullable(),
    publishedBy: p.text().strictNullable(),
    unpublishedAt: p.datetime().strictNullable(),
    archivedAt: p.datetime().strictNullable(),
    createdBy: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** A row of templates.version; has the shape of the domain's Version. */
export class VersionEntity extends VersionSchema.class {}
VersionSchema.setClass(VersionEntity);
