import type { EntityManager } from "@mikro-orm/postgresql";
import type { Pool } from "pg";
import { createOrm, withOrgEm } from "#platform/db/orm.ts";
import type { OrgId } from "#platform/ids.ts";
import { TemplateEntity } from "./template.entity.ts";
import { TemplateVersionEntity } from "./template-version.entity.ts";

export const schema = "docgen";

export const createDocgenOrm = (options: { url: string; role?: string; max: number; onPool?: (pool: Pool) => void }) =>
  createOrm({ ...options, name: "docgen", schema, entities: [TemplateEntity, TemplateVersionEntity] });

export type DocgenOrm = ReturnType<typeof createDocgenOrm>;

/** Runs `work` in one transaction of the organization and commits it. */
export const inOrganization = <T>(orgId: OrgId, orm: DocgenOrm, work: (em: EntityManager) => Promise<T>): Promise<T> =>
  withOrgEm(orm, orgId, work);
