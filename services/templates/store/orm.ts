import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p } from "@mikro-orm/core";
import type { Pool } from "pg";
import type { FreshText } from "#platform/config.ts";
import { createOrm, type OrmTenant, withOrgEm } from "#platform/db/orm.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Approval } from "../domain/approval.ts";
import type { ContentFormat, VersionTexts } from "../domain/content.ts";
import type { DeploymentStatus, DisplayMode, Environment, Surface, WrapType } from "../domain/deployment.ts";
import type { PolicyFlags, StatedPolicyFlags } from "../domain/policy-flags.ts";
import type { Counterparty } from "../domain/template.ts";
import type { TemplateType } from "../domain/type-config.ts";
import type { VersionStatus } from "../domain/version.ts";

export const schema = "templates";

export const createTemplatesOrm = (options: {
  url: FreshText;
  role?: string;
  max: number;
  onPool?: (pool: Pool) => void;
}) =>
  createOrm({
    ...options,
    name: "templates",
    schema,
    entities: [
      TemplateEntity,
      VersionEntity,
      VersionDraftEntity,
      ScheduledPublicationEntity,
      ApprovalEntity,
      PublicationRulesEntity,
      RevisionEntity,
      DeploymentEntity,
    ],
  });

export type TemplatesOrm = ReturnType<typeof createTemplatesOrm>;

/** Runs `work` in one transaction of the organization and commits it. */
export const inOrganization = <T>(
  orgId: OrgId,
  orm: TemplatesOrm,
  work: (tenant: OrmTenant) => Promise<T>,
): Promise<T> => withOrgEm(orm, orgId, work);

export const DeploymentEntity = defineEntity({
  name: "Deployment",
  tableName: "deployment",
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    templateId: p.uuid(),
    key: p.text(),
    name: p.text(),
    status: p.text().$type<DeploymentStatus>(),
    environment: p.text().$type<Environment>(),
    surface: p.text().$type<Surface>(),
    displayMode: p.text().$type<DisplayMode>(),
    wrapType: p.text().$type<WrapType>(),
    versionId: p.uuid().strictNullable(),
    localeFallback: p.array().columnType("text[]").$type<readonly string[]>(),
    allowedOrigins: p.array().columnType("text[]").$type<readonly string[]>(),
    theme: p.json<JsonObject>(),
    brandId: p.uuid().strictNullable(),
    screenshotId: p.text().strictNullable(),
    screenshotHash: p.text().strictNullable(),
    policyOverrides: p.json<StatedPolicyFlags>(),
    snapshotHash: p.text().strictNullable(),
    activatedAt: p.datetime().strictNullable(),
    deactivatedAt: p.datetime().strictNullable(),
    createdBy: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export const RevisionEntity = defineEntity({
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

export const TemplateEntity = defineEntity({
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
    brandId: p.uuid().strictNullable(),
    createdBy: p.text(),
    firstPublishedAt: p.datetime().strictNullable(),
    archivedAt: p.datetime().strictNullable(),
    deletedAt: p.datetime().strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export const VersionEntity = defineEntity({
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
    authors: p.array().columnType("text[]").$type<readonly string[]>(),
    createdBy: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export const VersionDraftEntity = defineEntity({
  name: "VersionDraft",
  tableName: "version_draft",
  properties: {
    organizationId: p.uuid().primary(),
    versionId: p.uuid().primary(),
    title: p.text().strictNullable(),
    content: p.text(),
    contentHash: p.text(),
    format: p.text().$type<ContentFormat>(),
    changeSummary: p.text().strictNullable(),
    effectiveAt: p.datetime().strictNullable(),
    texts: p.json<VersionTexts>(),
    baseRevision: p.integer(),
    authors: p.array().columnType("text[]").$type<readonly string[]>(),
    createdBy: p.text(),
    createdAt: p.datetime(),
    updatedBy: p.text(),
    updatedAt: p.datetime(),
  },
});

export const ScheduledPublicationEntity = defineEntity({
  name: "ScheduledPublication",
  tableName: "scheduled_publication",
  properties: {
    organizationId: p.uuid().primary(),
    versionId: p.uuid().primary(),
    templateId: p.uuid(),
    publishAt: p.datetime(),
    requireReacceptance: p.boolean(),
    changeSummary: p.text().strictNullable(),
    effectiveAt: p.datetime().strictNullable(),
    locale: p.text(),
    revision: p.integer(),
    label: p.text(),
    contentHash: p.text(),
    scheduledBy: p.text(),
    scheduledAt: p.datetime(),
  },
});

export const ApprovalEntity = defineEntity({
  name: "Approval",
  tableName: "publication_approval",
  properties: {
    organizationId: p.uuid().primary(),
    versionId: p.uuid().primary(),
    templateId: p.uuid(),
    textHash: p.text(),
    savedAt: p.datetime(),
    status: p.text().$type<Approval["status"]>(),
    requestedBy: p.text(),
    requestedAt: p.datetime(),
    note: p.text().strictNullable(),
    decidedBy: p.text().strictNullable(),
    decidedAt: p.datetime().strictNullable(),
    reason: p.text().strictNullable(),
  },
});

export const PublicationRulesEntity = defineEntity({
  name: "PublicationRules",
  tableName: "publication_rules",
  properties: {
    organizationId: p.uuid().primary(),
    fourEyes: p.boolean(),
    updatedBy: p.text(),
    updatedAt: p.datetime(),
  },
});
