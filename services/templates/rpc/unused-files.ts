import type pg from "pg";
import { isLockFailure } from "#platform/db/errors.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import type { OrgId } from "#platform/ids.ts";
import { createPeriodicWorker, type Worker } from "#platform/periodic.ts";
import { inOrganization } from "../store/orm.ts";
import { lockTemplate } from "../store/template-store.ts";
import type { TemplatesDeps } from "./deps.ts";

/** For so long a file is kept that nothing has, from when it was sent last; so often the others are looked at. */
const unusedMs = 24 * 60 * 60_000;

export const lookAtAfter = (now: Date): Date => new Date(now.getTime() + unusedMs);

/** Whether nothing of the organization has it as its content. */
export const isUnused = ["version", "version_draft", "revision"]
  .map((table) => {
    const isOfFile = "u.organization_id = f.organization_id and u.content_hash = f.content_hash";
    return `not exists (select from templates.${table} u where ${isOfFile})`;
  })
  .join(" and ");

/**
 * Deletes those files of a template that nothing has and whose time has come; the others are looked at again later. Lock the
 * template, so that nobody saves a version meanwhile that names one.
 */
export async function deleteUnused({ orgId, em }: OrmTenant, templateId: string, now: Date): Promise<void> {
  const isDue = "f.organization_id = ? and f.template_id = ? and f.look_at <= ?";
  const due = [orgId, templateId, now];
  await em.execute(`delete from templates.file f where ${isDue} and ${isUnused}`, due);
  await em.execute(`update templates.file f set look_at = ? where ${isDue}`, [lookAtAfter(now), ...due]);
}

interface DueFiles {
  readonly orgId: OrgId;
  readonly templateId: string;
}

const batchSize = 100;

async function findDue(pool: pg.Pool, now: Date, passed: number): Promise<DueFiles[]> {
  const { rows } = await pool.query<DueFiles>(
    `select organization_id as "orgId", template_id as "templateId" from templates.file where look_at <= $1
     group by organization_id, template_id order by min(look_at), template_id limit $2 offset $3`,
    [now, batchSize, passed],
  );
  return rows;
}

type SweepDeps = Pick<TemplatesDeps, "orm" | "resolverPool" | "clock" | "logger">;

/** Deletes what nothing has when its time comes. Any number of processes may do it at the same time. */
export const createFileSweeper = (deps: SweepDeps): Worker =>
  createPeriodicWorker({
    ...{ name: "templates-files", everyMs: 10 * 60_000, logger: deps.logger },
    run: async () => {
      // Those that others hold for too long are passed, and looked at the next time.
      let passed = 0;
      let due: readonly DueFiles[];
      do {
        due = await findDue(deps.resolverPool, deps.clock.now(), passed);
        for (const one of due) if (!(await sweep(deps, one))) passed += 1;
      } while (due.length === batchSize);
    },
  });

/** False when it has to wait. */
async function sweep({ orm, clock, logger }: SweepDeps, { orgId, templateId }: DueFiles): Promise<boolean> {
  try {
    await inOrganization(orgId, orm, async (tenant) => {
      // Of a template that was deleted no version is saved any more.
      await lockTemplate(tenant, templateId);
      await deleteUnused(tenant, templateId, clock.now());
    });
    return true;
  } catch (error) {
    if (!isLockFailure(error)) throw error;
    logger.debug({ err: error, orgId, templateId }, "files that nothing has wait for a lock");
    return false;
  }
}
