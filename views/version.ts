import { ContentFormat, type Revision, type Version, VersionStatus } from "#gen/assent/templates/v1/templates_pb.ts";
import { contentReportView } from "./content-report.ts";
import { deploymentView } from "./deployment.ts";
import { enumName, isoTime } from "./scalars.ts";
import { templateView } from "./template.ts";

export interface VersionViewOptions {
  readonly withTemplate?: boolean;
  readonly withDeployments?: boolean;
}

/** A version as the REST API shows it, with its texts beside its content. */
export const versionView = (version: Version, options: VersionViewOptions = {}): Record<string, unknown> => ({
  id: version.id,
  templateId: version.templateId,
  organizationId: version.organizationId,
  locale: version.locale,
  title: version.title ?? null,
  content: version.content,
  format: enumName(ContentFormat, version.format)?.toLowerCase() ?? null,
  consentText: version.texts?.consentText ?? null,
  buttonText: version.texts?.buttonText ?? null,
  declineText: version.texts?.declineText ?? null,
  checkboxText: version.texts?.checkboxText ?? null,
  linkText: version.texts?.linkText ?? null,
  purposeTexts: version.texts?.purposeTexts ?? {},
  changeSummary: version.changeSummary ?? null,
  effectiveAt: isoTime(version.effectiveAt),
  status: enumName(VersionStatus, version.status),
  isPublished: version.status === VersionStatus.PUBLISHED,
  revision: version.revision,
  label: version.label ?? null,
  contentHash: version.contentHash,
  validation: version.validation === undefined ? null : contentReportView(version.validation),
  publishedAt: isoTime(version.publishedAt),
  publishedBy: version.publishedBy ?? null,
  unpublishedAt: isoTime(version.unpublishedAt),
  archivedAt: isoTime(version.archivedAt),
  createdAt: isoTime(version.createdAt),
  updatedAt: isoTime(version.updatedAt),
  revisions: version.revisions.map(revisionView),
  ...(options.withTemplate === true ? { template: embeddedTemplate(version) } : {}),
  ...(options.withDeployments === true ? { deployments: version.deployments.map(deploymentView) } : {}),
});

const embeddedTemplate = ({ template }: Version): Record<string, unknown> | null =>
  template === undefined ? null : templateView(template, { withVersions: false });

const revisionView = (revision: Revision): Record<string, unknown> => ({
  revision: revision.revision,
  label: revision.label,
  contentHash: revision.contentHash,
  publishedAt: isoTime(revision.publishedAt),
  requiresReacceptance: revision.requiresReacceptance,
});
