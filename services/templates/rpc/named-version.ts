import type { OrmTenant } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import type { Template } from "../domain/template.ts";
import type { Version } from "../domain/version.ts";
import { findTemplate, holdTemplate, type lockTemplate } from "../store/template-store.ts";
import { findVersion, lockVersion } from "../store/version-store.ts";
import { parseTemplateId, parseVersionId } from "./deps.ts";

/** As a request names a version. */
interface NamesVersion {
  readonly templateId: string;
  readonly versionId: string;
}

interface NamedVersion {
  readonly template: Template;
  readonly version: Version;
}

/** Throws CLICK_TEMPLATE_NOT_FOUND and CLICK_VERSION_NOT_FOUND. */
export const findNamedVersion = (tenant: OrmTenant, name: NamesVersion): Promise<NamedVersion> =>
  open(tenant, name, findTemplate, findVersion);

/**
 * The same for a change. The template always comes before the version, so that two transactions cannot deadlock; it is
 * locked instead of held when it changes too.
 */
export const lockNamedVersion = (
  tenant: OrmTenant,
  name: NamesVersion,
  openTemplate: typeof holdTemplate | typeof lockTemplate = holdTemplate,
): Promise<NamedVersion> => open(tenant, name, openTemplate, lockVersion);

async function open(
  tenant: OrmTenant,
  name: NamesVersion,
  openTemplate: (tenant: OrmTenant, id: string) => Promise<Template | null>,
  openVersion: typeof findVersion | typeof lockVersion,
): Promise<NamedVersion> {
  const templateId = parseTemplateId(name.templateId);
  const template = await openTemplate(tenant, templateId);
  if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
  const version = await openVersion(tenant, { templateId, id: parseVersionId(name.versionId) });
  if (version === null) throw new DomainError("CLICK_VERSION_NOT_FOUND");
  return { template, version };
}
