import { type EntityManager, LockMode } from "@mikro-orm/postgresql";
import type { OrgId } from "#platform/ids.ts";
import type { Template } from "../domain/template.ts";
import { TemplateEntity } from "./template.entity.ts";

/** Makes the row be written with the transaction's flush. */
export function addTemplate(orgId: OrgId, em: EntityManager, template: Omit<Template, "organizationId">): Template {
  const entity = em.create(TemplateEntity, { ...template, organizationId: orgId });
  em.persist(entity);
  return entity;
}

/** None of these functions sees a template that was deleted. */
const existing = { deletedAt: null };

export async function findTemplate(orgId: OrgId, em: EntityManager, id: string): Promise<Template | null> {
  return em.findOne(TemplateEntity, { organizationId: orgId, id, ...existing });
}

/** Until the end of the transaction nobody else changes, archives or publishes in this template. */
export async function lockTemplate(orgId: OrgId, em: EntityManager, id: string): Promise<Template | null> {
  const options = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  return em.findOne(TemplateEntity, { organizationId: orgId, id, ...existing }, options);
}

/** Until the end of the transaction nobody changes or archives this template, but others may hold it like this. */
export async function holdTemplate(orgId: OrgId, em: EntityManager, id: string): Promise<Template | null> {
  const options = { lockMode: LockMode.PESSIMISTIC_READ } as const;
  return em.findOne(TemplateEntity, { organizationId: orgId, id, ...existing }, options);
}

/** lockTemplate for those of them that there are. Everybody locks in the order of the ids, so nobody waits in a circle. */
export async function lockTemplates(orgId: OrgId, em: EntityManager, ids: readonly string[]): Promise<Template[]> {
  return findInLockOrder(orgId, em, ids, LockMode.PESSIMISTIC_WRITE);
}

/** holdTemplate for those of them that there are; see lockTemplates. */
export async function holdTemplates(orgId: OrgId, em: EntityManager, ids: readonly string[]): Promise<Template[]> {
  return findInLockOrder(orgId, em, ids, LockMode.PESSIMISTIC_READ);
}

async function findInLockOrder(
  orgId: OrgId,
  em: EntityManager,
  ids: readonly string[],
  lockMode: LockMode.PESSIMISTIC_READ | LockMode.PESSIMISTIC_WRITE,
): Promise<Template[]> {
  const where = { organizationId: orgId, id: { $in: [...ids] }, ...existing };
  return em.find(TemplateEntity, where, { orderBy: { id: "asc" }, lockMode });
}

/**
 * Deletes a template that was never published, with all that belongs to it. Lock it first. Row-level security refuses
 * the deletion of what was published once.
 */
export async function deleteTemplate(orgId: OrgId, em: EntityManager, id: string): Promise<void> {
  await deleteDeployments(orgId, em, id);
  await em.execute("delete from templates.version where organization_id = ? and template_id = ?", [orgId, id]);
  await em.execute("delete from templates.template where organization_id = ? and id = ?", [orgId, id]);
}

/** The deployments of a template that goes away; their snapshots stay. */
export async function deleteDeployments(orgId: OrgId, em: EntityManager, templateId: string): Promise<void> {
  await em.execute("delete from templates.deployment where organization_id = ? and template_id = ?", [
    orgId,
    templateId,
  ]);
}

/** These templates, newest first. */
export async function findTemplates(orgId: OrgId, em: EntityManager, ids: readonly string[]): Promise<Template[]> {
  return em.find(
    TemplateEntity,
    { organizationId: orgId, id: { $in: [...ids] }, ...existing },
    { orderBy: [{ createdAt: "desc" }, { id: "desc" }] },
  );
}
