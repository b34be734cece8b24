import { expect } from "@jest/globals";
import { type Organization, readEvents, type TemplatesHarness } from "./harness.ts";
import type { Names } from "./lifecycle-system.ts";

/** What must hold of the rows of an organization whatever happened, and in whatever order. */
export async function checkInvariants(
  harness: TemplatesHarness,
  organization: Organization,
  names: Names,
): Promise<void> {
  for (const [title, sql] of Object.entries(contradictions)) {
    const { rows } = await harness.superuser.query(sql, [organization.orgId]);
    expect([title, rows]).toEqual([title, []]);
  }
  await checkRevisions(organization, names);
  await checkEvents(harness, organization);
}

/** Rows that must not be, by what they would contradict. */
const contradictions = {
  "an archived or deleted template has no active deployment": `select t.id from templates.template t
    join templates.deployment d on d.organization_id = t.organization_id and d.template_id = t.id
    where t.organization_id = $1 and d.status = 'ACTIVE' and (t.archived_at is not null or t.deleted_at is not null)`,
  "an active deployment has a published version to serve": `select d.id from templates.deployment d
    where d.organization_id = $1 and d.status = 'ACTIVE' and not exists (
      select from templates.version v where v.organization_id = d.organization_id and v.template_id = d.template_id
        and v.status = 'PUBLISHED' and v.id = coalesce(d.version_id, v.id))`,
  "a published version says what its last revision says": `select v.id from templates.version v
    left join templates.revision r
      on r.organization_id = v.organization_id and r.version_id = v.id and r.revision = v.revision
    where v.organization_id = $1 and v.status = 'PUBLISHED' and (r.content_hash, r.locale, r.label)
      is distinct from (v.content_hash, v.locale, v.label)`,
  "a draft belongs to a version that was published and is not archived": `select d.version_id
    from templates.version_draft d join templates.version v
      on v.organization_id = d.organization_id and v.id = d.version_id
    join templates.template t on t.organization_id = v.organization_id and t.id = v.template_id
    where d.organization_id = $1 and (v.status = 'ARCHIVED' or v.revision < d.base_revision or t.deleted_at is not null)`,
  "what is scheduled is there to be published, and is what resolution will say": `select s.version_id
    from templates.scheduled_publication s
    join templates.version v on v.organization_id = s.organization_id and v.id = s.version_id
    join templates.template t on t.organization_id = v.organization_id and t.id = v.template_id
    left join templates.version_draft d
      on d.organization_id = v.organization_id and d.version_id = v.id and v.status = 'PUBLISHED'
    where s.organization_id = $1 and (v.status = 'ARCHIVED' or (v.status = 'PUBLISHED' and d.version_id is null)
      or t.archived_at is not null or t.deleted_at is not null or s.template_id <> v.template_id
      or (s.locale, s.content_hash) is distinct from (v.locale, coalesce(d.content_hash, v.content_hash))
      or s.revision not in (v.revision, v.revision + 1))`,
  "a template is marked as published while a version is": `select t.id from templates.template t
    where t.organization_id = $1 and t.is_published <> exists (
      select from templates.version v
      where v.organization_id = t.organization_id and v.template_id = t.id and v.status = 'PUBLISHED')`,
  "revisions are numbered without gaps": `select version_id from templates.revision where organization_id = $1
    group by version_id having max(revision) <> count(*)`,
  "what was never published is not hidden but gone": `select t.id from templates.template t
    where t.organization_id = $1 and t.deleted_at is not null and not exists (
      select from templates.revision r where r.organization_id = t.organization_id and r.template_id = t.id)`,
  "a slug names one template": `select slug from templates.template
    where organization_id = $1 and deleted_at is null group by slug having count(*) > 1`,
};

/** Every revision that was ever made can be read, even when its template is deleted. */
async function checkRevisions(organization: Organization, names: Names): Promise<void> {
  for (const { id, versions } of names.templates) {
    const isGone = await organization.getTemplate({ templateId: id }).then(
      () => false,
      () => true,
    );
    for (const versionId of versions) {
      const answer = await organization.getRevision({ versionId, revision: 1 }).catch(() => undefined);
      if (answer !== undefined) expect(answer.templateId).toBe(id);
      if (isGone || answer !== undefined) continue;
      const { version } = await organization.getVersion({ templateId: id, versionId });
      expect(version?.revision).toBe(0);
    }
  }
}

/** Who follows the events knows what is published. */
async function checkEvents(harness: TemplatesHarness, organization: Organization): Promise<void> {
  const followed = new Set<string>();
  const offered = (templateId: string | undefined, versionId: string | undefined) => `${templateId} ${versionId}`;
  for (const event of await readEvents(harness, organization.orgId)) {
    const { versionPublished: up, versionUnpublished: down, templateRemoved: gone } = event;
    if (up !== undefined) followed.add(offered(up.templateId, up.versionId));
    if (down !== undefined) expect(followed.delete(offered(down.templateId, down.versionId))).toBe(true);
    for (const item of followed)
      if (gone !== undefined && item.startsWith(`${gone.templateId} `)) followed.delete(item);
  }
  const { templates } = await organization.listTemplates({});
  const published = templates.flatMap(({ id, currentVersions }) =>
    currentVersions.map(({ versionId }) => offered(id, versionId)),
  );
  expect([...followed].sort()).toEqual(published.sort());
}
