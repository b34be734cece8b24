import { LockMode } from "@mikro-orm/postgresql";
import { isUniqueViolation, type OrmTenant } from "#platform/db/orm.ts";
import type { Version, VersionOutline } from "../domain/version.ts";
import { VersionEntity } from "./orm.ts";

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
    { orderBy: [{ createdAt: "asc" }, { id: "asc" }], exclude: ["content"], disableIdentityMap: true },
  );
}

/** How many versions of the template are not archived. */
export async function countOpenVersions({ orgId, em }: OrmTenant, templateId: string): Promise<number> {
  return em.count(VersionEntity, { organizationId: orgId, templateId, status: { $ne: "ARCHIVED" } });
}

/** True when the error says that the locale has a version that is not archived. */
export const isLocaleTaken = (error: unknown): boolean => isUniqueViolation(error, "version_locale_key");
