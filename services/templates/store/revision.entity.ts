import { defineEntity, p } from "@mikro-orm/core";
import type { ContentFormat, VersionTexts } from "../domain/content.ts";

const RevisionSchema = defineEntity({
  name: "Revision",
  tableName: "revision",
  properties: {
    organizationId: p.uuid().primary(),
    versionId: p.uuid().primary(),
    revision: p.integer().primary(),
    templateId: p.uuid(),
    label: p.text(),
    locale: p.text(),
    title: p.text().strictNullable(),
    format: p.text().$type<ContentFormat>(),
    contentHash: p.text(),
    texts: p.json<VersionTexts>(),
    materialHash: p.text(),
    requiresReacceptance: p.boolean(),
    changeSummary: p.text().strictNullable(),
    effectiveAt: p.datetime().strictNullable(),
    publishedAt: p.datetime(),
    publishedBy: p.text(),
  },
});

/** A row of templates.revision; has the shape of the domain's Revision. */
export class RevisionEntity extends RevisionSchema.class {}
RevisionSchema.setClass(RevisionEntity);
