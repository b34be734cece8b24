import { type EntityManager, LockMode } from "@mikro-orm/postgresql";
import type { OrmTenant } from "#platform/db/orm.ts";
import type { Deployment, DeploymentStatus } from "../domain/deployment.ts";
import { DeploymentEntity } from "./orm.ts";
import type { VersionName } from "./version-store.ts";

/** How many active deployments each of these templates has; templates without any are absent. One query for all. */
export async function countActiveDeployments(
  { orgId, em }: OrmTenant,
  templateIds: readonly string[],
): Promise<Map<string, number>> {
  if (templateIds.length === 0) return new Map();
  const rows = await em.execute<{ id: string; active: number }[]>(
    `select template_id as id, count(*)::integer as active from templates.deployment
     where organization_id = ? and template_id = any(?::uuid[]) and status = 'ACTIVE' group by template_id`,
    [orgId, uuidArray(templateIds)],
  );
  return new Map(rows.map(({ id, active }) => [id, active]));
}

/**
 * True when an active deployment serves this version: one is pinned to it, or the version is published and one of its
 * template serves whatever is published. Ask with the template locked and before the version is changed: then the answer
 * holds until the end of the transaction, because a deployment becomes active only while its template is held.
 */
export async function isServedByActiveDeployment({ orgId, em }: OrmTenant, name: VersionName): Promise<boolean> {
  return isTrue(
    em,
    `select exists (
       select from templates.deployment d
       where d.organization_id = ? and d.template_id = ? and d.status = 'ACTIVE'
         and (d.version_id = ? or d.version_id is null and exists (
           select from templates.version v
           where v.organization_id = d.organization_id and v.template_id = d.template_id and v.id = ?
             and v.status = 'PUBLISHED'))
     ) as answer`,
    [orgId, name.templateId, name.id, name.id],
  );
}

/**
 * True when an active deployment would have nothing left to serve without this version: one is pinned to it, or one
 * serves whatever is published and nothing else of the template is. Ask as isServedByActiveDeployment is asked.
 */
export async function isLastServedByActiveDeployment({ orgId, em }: OrmTenant, name: VersionName): Promise<boolean> {
  return isTrue(
    em,
    `select exists (
       select from templates.deployment d
       where d.organization_id = ? and d.template_id = ? and d.status = 'ACTIVE'
         and (d.version_id = ? or d.version_id is null and not exists (
           select from templates.version v
           where v.organization_id = d.organization_id and v.template_id = d.template_id and v.id <> ?
             and v.status = 'PUBLISHED'))
     ) as answer`,
    [orgId, name.templateId, name.id, name.id],
  );
}

/** True when there is a published version for such a deployment to serve. Ask with the template held. */
export async function isServable(
  { orgId, em }: OrmTenant,
  deployment: Pick<Deployment, "templateId" | "versionId">,
): Promise<boolean> {
  const { templateId, versionId } = deployment;
  return isTrue(
    em,
    `select exists (
       select from templates.version
       where organization_id = ? and template_id = ? and status = 'PUBLISHED' and id = coalesce(?::uuid, id)
     ) as answer`,
    [orgId, templateId, versionId],
  );
}

/** Makes the row be written with the transaction's flush. */
export function addDeployment({ orgId, em }: OrmTenant, deployment: Omit<Deployment, "organizationId">): Deployment {
  const entity = em.create(DeploymentEntity, { ...deployment, organizationId: orgId });
  em.persist(entity);
  return entity;
}

export async function findDeployment({ orgId, em }: OrmTenant, id: string): Promise<Deployment | null> {
  return em.findOne(DeploymentEntity, { organizationId: orgId, id });
}

/** The template of a deployment, which never changes; to be locked before the deployment is. */
export async function findTemplateIdOfDeployment({ orgId, em }: OrmTenant, id: string): Promise<string | undefined> {
  const rows = await em.execute<{ template_id: string }[]>(
    "select template_id from templates.deployment where organization_id = ? and id = ?",
    [orgId, id],
  );
  return rows[0]?.template_id;
}

/** Locks the deployment until the end of the transaction. Lock or hold its template first. */
export async function lockDeployment({ orgId, em }: OrmTenant, id: string): Promise<Deployment | null> {
  return em.findOne(DeploymentEntity, { organizationId: orgId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** Like lockDeployment for all active deployments of a template. */
export async function lockActiveDeployments({ orgId, em }: OrmTenant, templateId: string): Promise<Deployment[]> {
  return em.find(
    DeploymentEntity,
    { organizationId: orgId, templateId, status: "ACTIVE" },
    { orderBy: { id: "asc" }, lockMode: LockMode.PESSIMISTIC_WRITE },
  );
}

/** The active deployments of a template, newest first. */
export const listActiveDeployments = (tenant: OrmTenant, templateId: string): Promise<Deployment[]> =>
  listDeployments(tenant, { templateId, status: "ACTIVE" });

/** The deployments of a template, newest first. */
export async function listDeployments(
  { orgId, em }: OrmTenant,
  filter: { readonly templateId: string; readonly status?: DeploymentStatus | undefined },
): Promise<Deployment[]> {
  const { templateId, status } = filter;
  return em.find(
    DeploymentEntity,
    { organizationId: orgId, templateId, ...(status === undefined ? {} : { status }) },
    { orderBy: [{ createdAt: "desc" }, { id: "desc" }] },
  );
}

export async function countDeployments({ orgId, em }: OrmTenant, templateId: string): Promise<number> {
  return em.count(DeploymentEntity, { organizationId: orgId, templateId });
}

/** Its snapshots stay: acceptances refer to them. */
export async function removeDeployment({ orgId, em }: OrmTenant, id: string): Promise<void> {
  await em.execute("delete from templates.screenshot where organization_id = ? and deployment_id = ?", [orgId, id]);
  await em.nativeDelete(DeploymentEntity, { organizationId: orgId, id });
}

async function isTrue(em: EntityManager, sql: string, values: readonly unknown[]): Promise<boolean> {
  const rows = await em.execute<{ answer: boolean }[]>(sql, [...values]);
  return rows[0]?.answer === true;
}

/** The driver would spread a list over several parameters. */
const uuidArray = (ids: readonly string[]): string => `{${ids.join(",")}}`;
