import { type Template, TemplateStatus, TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { enumName, isoTime } from "./scalars.ts";
import { versionView } from "./version.ts";

/** A template as the REST API shows it. */
export const templateView = (template: Template, options: { withVersions: boolean }): Record<string, unknown> => ({
  id: template.id,
  organizationId: template.organizationId,
  name: template.name,
  slug: template.slug,
  type: enumName(TemplateType, template.type),
  status: enumName(TemplateStatus, template.status),
  description: template.description ?? null,
  defaultLocale: template.defaultLocale,
  typeConfig: template.typeConfig ?? {},
  policyFlags: template.policyFlags ?? {},
  counterparty: counterpartyView(template),
  metadata: template.metadata,
  currentVersions: currentVersionsView(template),
  activeDeploymentCount: template.activeDeploymentCount,
  createdBy: template.createdBy === "" ? null : template.createdBy,
  createdAt: isoTime(template.createdAt),
  updatedAt: isoTime(template.updatedAt),
  archivedAt: isoTime(template.archivedAt),
  ...(options.withVersions ? { versions: template.versions.map((version) => versionView(version)) } : {}),
});

function counterpartyView({ counterparty }: Template): Record<string, unknown> | null {
  if (counterparty === undefined) return null;
  const { legalName, address, url } = counterparty;
  return { legalName, address: address ?? null, url: url ?? null };
}

const currentVersionsView = ({ currentVersions }: Template): Record<string, unknown> =>
  Object.fromEntries(
    currentVersions.map(({ locale, versionId, revision, label }) => [locale, { versionId, revision, label }]),
  );
