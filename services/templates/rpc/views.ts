import type { OrmTenant } from "#platform/db/orm.ts";
import type { Deployment } from "../domain/deployment.ts";
import type { Template } from "../domain/template.ts";
import type { Version } from "../domain/version.ts";
import { countActiveDeployments } from "../store/deployment-store.ts";
import { listDrafts, listPublished, listSchedules, listSchedulesOf, listVersions } from "../store/version-store.ts";
import { listRevisions } from "./get-revision.ts";
import { type TemplateInit, templateMessage, type VersionInit, versionMessage } from "./messages.ts";

/** Templates as clients see them, with their versions when asked for, with the same few queries for any number. */
export async function describeTemplates(
  tenant: OrmTenant,
  templates: readonly Template[],
  options: { readonly includeVersions: boolean },
): Promise<TemplateInit[]> {
  const templateIds = templates.map((template) => template.id);
  const activeDeployments = await countActiveDeployments(tenant, templateIds);
  // The first one of each is what stays: the last that is put.
  const nextPublications = new Map(
    (await listSchedulesOf(tenant, templateIds))
      .toReversed()
      .map(({ templateId, publishAt }) => [templateId, publishAt]),
  );
  if (!options.includeVersions) {
    const published = await listPublished(tenant, templateIds);
    return templates.map((template) => templateMessage(template, { published, activeDeployments, nextPublications }));
  }
  const versions = await listVersions(tenant, { templateIds });
  const published = versions.filter((version) => version.status === "PUBLISHED");
  const messages = await describeVersions(tenant, versions);
  return templates.map((template) =>
    templateMessage(template, {
      published,
      activeDeployments,
      nextPublications,
      versions: messages.filter((message) => message.templateId === template.id),
    }),
  );
}

/** Versions as clients see them; the template is attached to each when given, and the deployments that serve it are. */
export async function describeVersions(
  tenant: OrmTenant,
  versions: readonly Version[],
  template?: TemplateInit,
  deployments?: readonly Deployment[],
): Promise<VersionInit[]> {
  const ids = versions.map((version) => version.id);
  const revisions = await listRevisions(tenant, ids);
  const drafts = await listDrafts(tenant, ids);
  const schedules = await listSchedules(tenant, ids);
  return versions.map((version) => versionMessage(version, { revisions, template, deployments, drafts, schedules }));
}
