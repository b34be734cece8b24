import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { recordsOf } from "#api/records.ts";
import {
  ContentFormat,
  type CounterpartySchema,
  type RevisionSchema,
  type TemplateSchema,
  VersionSchema,
  VersionStatus,
  type VersionTextsSchema,
} from "#gen/assent/templates/v1/templates_pb.ts";
import type { VersionTexts } from "../domain/content.ts";
import { type Deployment, servesVersion } from "../domain/deployment.ts";
import { type Counterparty, type Template, templateStatus } from "../domain/template.ts";
import type { Revision, Version, VersionOutline } from "../domain/version.ts";
import { deploymentMessage } from "./deployment-input.ts";
import { wireTemplateStatus, wireType } from "./wire-enums.ts";

export type TemplateInit = MessageInitShape<typeof TemplateSchema>;
export type VersionInit = MessageInitShape<typeof VersionSchema>;

export interface TemplateParts {
  /** Those of this template, at least; others are ignored. */
  readonly published: readonly VersionOutline[];
  readonly versions?: readonly VersionInit[];
  /** How many active deployments templates have; those without any are absent. */
  readonly activeDeployments?: ReadonlyMap<string, number>;
}

export function templateMessage(template: Template, parts: TemplateParts): TemplateInit {
  const published = parts.published.filter((version) => version.templateId === template.id);
  const status = templateStatus({ archived: template.archivedAt !== null, publishedVersions: published.length });
  return {
    id: template.id,
    organizationId: template.organizationId,
    name: template.name,
    slug: template.slug,
    type: wireType[template.type],
    status: wireTemplateStatus[status],
    description: template.description ?? undefined,
    defaultLocale: template.defaultLocale,
    typeConfig: template.typeConfig,
    policyFlags: { ...template.policyFlags, verificationMethods: [...template.policyFlags.verificationMethods] },
    counterparty: counterpartyMessage(template.counterparty),
    metadata: template.metadata,
    currentVersions: published.map((version) => ({
      locale: version.locale,
      versionId: version.id,
      revision: version.revision,
      label: version.label ?? "",
    })),
    activeDeploymentCount: parts.activeDeployments?.get(template.id) ?? 0,
    createdBy: template.createdBy,
    createdAt: timestampFromDate(template.createdAt),
    updatedAt: timestampFromDate(template.updatedAt),
    archivedAt: timestamp(template.archivedAt),
    versions: [...(parts.versions ?? [])],
  };
}

export interface VersionParts {
  /** Those of this version, at least; others are ignored. */
  readonly revisions: readonly Revision[];
  readonly template?: TemplateInit | undefined;
  /** Those of its template, at least; those that do not serve it are ignored. */
  readonly deployments?: readonly Deployment[] | undefined;
}

const versions = recordsOf(VersionSchema, { format: ContentFormat, status: VersionStatus });

export function versionMessage(version: Version, parts: VersionParts): VersionInit {
  return {
    ...versions.write({ ...version, texts: undefined }),
    texts: textsMessage(version.texts),
    revisions: parts.revisions.filter((revision) => revision.versionId === version.id).map(revisionMessage),
    template: parts.template,
    deployments: (parts.deployments ?? []).filter((d) => servesVersion(d, version)).map(deploymentMessage),
  };
}

export const counterpartyMessage = (
  counterparty: Counterparty | null,
): MessageInitShape<typeof CounterpartySchema> | undefined =>
  counterparty === null
    ? undefined
    : {
        legalName: counterparty.legalName,
        address: counterparty.address ?? undefined,
        url: counterparty.url ?? undefined,
      };

export const textsMessage = (texts: VersionTexts): MessageInitShape<typeof VersionTextsSchema> => ({
  ...texts,
  purposeTexts: { ...texts.purposeTexts },
});

const revisionMessage = (revision: Revision): MessageInitShape<typeof RevisionSchema> => ({
  revision: revision.revision,
  label: revision.label,
  contentHash: revision.contentHash,
  publishedAt: timestampFromDate(revision.publishedAt),
  requiresReacceptance: revision.requiresReacceptance,
});

const timestamp = (date: Date | null) => (date === null ? undefined : timestampFromDate(date));
