import type { EntityManager } from "@mikro-orm/postgresql";
import type { Pool } from "pg";
import { createOrm, isTransient, withOrgEm } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { DeploymentEntity } from "./deployment.entity.ts";
import { RevisionEntity } from "./revision.entity.ts";
import { TemplateEntity } from "./template.entity.ts";
import { VersionEntity } from "./version.entity.ts";

export const schema = "templates";

export const createTemplatesOrm = (options: {
  url: string;
  role?: string;
  max: number;
  onPool?: (pool: Pool) => void;
}) =>
  createOrm({
    ...options,
    name: "templates",
    schema,
    entities: [TemplateEntity, VersionEntity, RevisionEntity, DeploymentEntity],
  });

export type TemplatesOrm = ReturnType<typeof createTemplatesOrm>;

/**
 * Runs `work` in one transaction of the organization and commits it. A database that is away or too busy gives
 * SERVICE_UNAVAILABLE: nothing was changed that the caller could not do again.
 */
export async function inOrganization<T>(
  orgId: OrgId,
  orm: TemplatesOrm,
  work: (em: EntityManager) => Promise<T>,
): Promise<T> {
  try {
    return await withOrgEm(orm, orgId, work);
  } catch (error) {
    if (isTransient(error)) throw new DomainError("SERVICE_UNAVAILABLE", { cause: error });
    throw error;
  }
}
