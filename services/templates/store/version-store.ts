import { LockMode } from "@mikro-orm/postgresql";
import type pg from "pg";
import { isUniqueViolation, type OrmTenant } from "#platform/db/orm.ts";
import type { OrgId } from "#platform/ids.ts";
import type { DraftOutline, ScheduledPublication, Version, VersionDraft, VersionOutline } from "../domain/version.ts";
import { ScheduledPublicationEntity, VersionDraftEntity, VersionEntity } from "./orm.ts";

/** Makes the row be written with the transaction's flush. */
export function addVersion({ orgId, em }: OrmTenant, version: Omit<Version, "organizationId">): Version {
  const entity = em.create(VersionEntity, { ...version, organizationId: orgId });
  em.persist(entity);
  return entity;
}

/** Names a version as clients do. */
export interface VersionName {
  readonly templateId: string;
  readonly id: string;
}

export async function findVersion({ orgId, em }: OrmTenant, name: VersionName): Promise<Version | null> {
  const { templateId, id } = name;
  return em.findOne(VersionEntity, { organizationId: orgId, templateId, id });
}

export async function hasVersion({ orgId, em }: OrmTenant, name: VersionName): Promise<boolean> {
  const { templateId, id } = name;
  return (await em.count(VersionEntity, { organizationId: orgId, templateId, id })) > 0;
}

/** Locks the version until the end of the transaction. */
export async function lockVersion({ orgId, em }: OrmTenant, name: VersionName): Promise<Version | null> {
  const { templateId, id } = name;
  return em.findOne(VersionEntity, { organizationId: orgId, templateId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** The versions of these templates with their texts, oldest first. */
export async function listVersions(
  { orgId, em }: OrmTenant,
  filter: { readonly templateIds: readonly string[]; readonly publishedOnly?: boolean },
): Promise<Version[]> {
  const status = filter.publishedOnly === true ? { status: "PUBLISHED" as const } : {};
  return em.find(
    VersionEntity,
    { organizationId: orgId, templateId: { $in: [...filter.templateIds] }, ...status },
    { orderBy: [{ createdAt: "asc" }, { id: "asc" }] },
  );
}

/** The published versions of these templates without their texts, oldest first. */
export async function listPublished(
  { orgId, em }: OrmTenant,
  templateIds: readonly string[],
): Promise<VersionOutline[]> {
  return em.find(
    VersionEntity,
    { organizationId: orgId, templateId: { $in: [...templateIds] }, status: "PUBLISHED" },
    { orderBy: [{ createdAt: "asc" }, { id: "asc" }], exclude: ["content", "authors"], disableIdentityMap: true },
  );
}

/** How many versions of the template are not archived. */
export async function countOpenVersions({ orgId, em }: OrmTenant, templateId: string): Promise<number> {
  return em.count(VersionEntity, { organizationId: orgId, templateId, status: { $ne: "ARCHIVED" } });
}

/** True when the error says that the locale has a version that is not archived. */
export const isLocaleTaken = (error: unknown): boolean => isUniqueViolation(error, "version_locale_key");

/** Makes the row be written with the transaction's flush. A version has one at most; lock it first. */
export function addDraft({ orgId, em }: OrmTenant, draft: Omit<VersionDraft, "organizationId">): VersionDraft {
  const entity = em.create(VersionDraftEntity, { ...draft, organizationId: orgId });
  em.persist(entity);
  return entity;
}

export async function findDraft({ orgId, em }: OrmTenant, versionId: string): Promise<VersionDraft | null> {
  return em.findOne(VersionDraftEntity, { organizationId: orgId, versionId });
}

/** The drafts of these versions without their texts. */
export async function listDrafts({ orgId, em }: OrmTenant, versionIds: readonly string[]): Promise<DraftOutline[]> {
  if (versionIds.length === 0) return [];
  return em.find(
    VersionDraftEntity,
    { organizationId: orgId, versionId: { $in: [...versionIds] } },
    { exclude: ["content", "texts", "authors"], disableIdentityMap: true },
  );
}

export async function deleteDraft({ orgId, em }: OrmTenant, versionId: string): Promise<void> {
  await em.nativeDelete(VersionDraftEntity, { organizationId: orgId, versionId });
}

/** The drafts of all versions of a template that goes away. */
export async function deleteDrafts({ orgId, em }: OrmTenant, templateId: string): Promise<void> {
  await em.execute(
    `delete from templates.version_draft where organization_id = ? and version_id in (
       select id from templates.version where organization_id = ? and template_id = ?)`,
    [orgId, orgId, templateId],
  );
}

/** Makes the row be written with the transaction's flush. A version has one at most; lock it first. */
export function addSchedule({ orgId, em }: OrmTenant, schedule: Omit<ScheduledPublication, "organizationId">): void {
  em.persist(em.create(ScheduledPublicationEntity, { ...schedule, organizationId: orgId }));
}

export async function findSchedule({ orgId, em }: OrmTenant, versionId: string): Promise<ScheduledPublication | null> {
  return em.findOne(ScheduledPublicationEntity, { organizationId: orgId, versionId });
}

/** The same without reading it, so that it is read anew when its version is locked. */
export async function hasSchedule({ orgId, em }: OrmTenant, versionId: string): Promise<boolean> {
  return (await em.count(ScheduledPublicationEntity, { organizationId: orgId, versionId })) > 0;
}

export async function listSchedules(
  { orgId, em }: OrmTenant,
  versionIds: readonly string[],
): Promise<ScheduledPublication[]> {
  if (versionIds.length === 0) return [];
  return em.find(ScheduledPublicationEntity, { organizationId: orgId, versionId: { $in: [...versionIds] } });
}

/** What is to be published of these templates; lock them first if it must stay so. */
export async function listSchedulesOf(
  { orgId, em }: OrmTenant,
  templateIds: readonly string[],
): Promise<ScheduledPublication[]> {
  if (templateIds.length === 0) return [];
  return em.find(
    ScheduledPublicationEntity,
    { organizationId: orgId, templateId: { $in: [...templateIds] } },
    { orderBy: [{ publishAt: "asc" }, { versionId: "asc" }] },
  );
}

/** What is to be published later than that, of the whole organization. */
export async function listSchedulesToCome({ orgId, em }: OrmTenant, now: Date): Promise<ScheduledPublication[]> {
  return em.find(ScheduledPublicationEntity, { organizationId: orgId, publishAt: { $gt: now } });
}

export async function deleteSchedules({ orgId, em }: OrmTenant, versionIds: readonly string[]): Promise<void> {
  await em.nativeDelete(ScheduledPublicationEntity, { organizationId: orgId, versionId: { $in: [...versionIds] } });
}

/** A publication whose time has come. */
export interface DuePublication {
  readonly orgId: OrgId;
  readonly templateId: string;
  readonly id: string;
  readonly publishAt: Date;
}

export interface DueNames {
  readonly templateIds: readonly string[];
  readonly versionIds: readonly string[];
}

/** Which schedules: those due by then, of the named templates or versions of one organization, or of all. */
interface DueFilter {
  readonly now: Date;
  readonly orgId?: OrgId;
  readonly names?: DueNames;
  /** Only those behind this one. */
  readonly after?: DuePublication | undefined;
}

/** The earliest first. The pool connects as the resolver's role, which alone may read across organizations. */
export async function listDue(pool: pg.Pool, filter: DueFilter, limit: number): Promise<DuePublication[]> {
  const { now, orgId, names, after } = filter;
  const values: unknown[] = [now, limit];
  const put = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [
    "publish_at <= $1",
    ...(orgId === undefined ? [] : [`organization_id = ${put(orgId)}`]),
    ...(names === undefined
      ? []
      : [`(template_id = any(${put(names.templateIds)}) or version_id = any(${put(names.versionIds)}))`]),
    ...(after === undefined ? [] : [`(publish_at, version_id) > (${put(after.publishAt)}, ${put(after.id)})`]),
  ];
  const text = `select organization_id as "orgId", template_id as "templateId", version_id as id, publish_at as "publishAt"
    from templates.scheduled_publication where ${conditions.join(" and ")} order by publish_at, version_id limit $2`;
  const name = `due-publications-${[orgId, names, after].map((given) => Number(given !== undefined)).join("")}`;
  return (await pool.query<DuePublication>({ name, text, values })).rows;
}

/** When the first publication of any organization after this time is due; undefined when none is scheduled. */
export async function nextDue(pool: pg.Pool, after: Date): Promise<Date | undefined> {
  const { rows } = await pool.query<{ next: Date | null }>(
    "select min(publish_at) as next from templates.scheduled_publication where publish_at > $1",
    [after],
  );
  return rows[0]?.next ?? undefined;
}
