import type { EntityManager } from "@mikro-orm/postgresql";
import type { Pool } from "pg";
import { createOrm, withOrgEm } from "#platform/db/orm.ts";
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

/** Runs `work` in one transaction of the organization and commits it. */
export const inOrganization = <T>(
  orgId: OrgId,
  orm: TemplatesOrm,
  work: (em: EntityManager) => Promise<T>,
): Promise<T> => withOrgEm(orm, orgId, work);
