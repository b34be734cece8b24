import { type Caller, requireCaller } from "#platform/caller.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import { insertOutboxEm } from "#platform/outbox/outbox.ts";
import { invalid, problem } from "../domain/problems.ts";
import type { ScheduledPublication, Version } from "../domain/version.ts";
import { versionScheduled, versionUnscheduled } from "../events.ts";
import { inOrganization, schema } from "../store/orm.ts";
import { lockTemplate } from "../store/template-store.ts";
import { addSchedule, deleteSchedules, findSchedule, listSchedules, listSchedulesOf } from "../store/version-store.ts";
import type { TemplatesDeps, TemplatesRpcs } from "./deps.ts";
import { lockNamedVersion } from "./named-version.ts";

/** Who changes what is scheduled, and when. */
interface Act {
  readonly deps: Pick<TemplatesDeps, "newId">;
  readonly caller: Caller;
  readonly tenant: OrmTenant;
  readonly now: Date;
}

export const cancelVersionSchedule = (
  deps: Pick<TemplatesDeps, "orm" | "clock" | "newId" | "wakeRelay">,
): TemplatesRpcs<"cancelVersionSchedule"> => ({
  async cancelVersionSchedule(request, context) {
    const caller = requireCaller(context);
    await inOrganization(caller.orgId, deps.orm, async (tenant) => {
      const { version } = await lockNamedVersion(tenant, request, lockTemplate);
      const cancelled = await cancelSchedules({ deps, caller, tenant, now: deps.clock.now() }, [version]);
      if (!cancelled) throw new DomainError("CLICK_SCHEDULE_NOT_FOUND");
    });
    deps.wakeRelay();
    return {};
  },
});

/** Throws CLICK_VALIDATION_FAILED. */
export function requireToCome(publishAt: Date, now: Date): void {
  if (publishAt > now) return;
  throw invalid(problem("publishAt", "NOT_IN_FUTURE", "must be a time to come; leave it out to publish at once"));
}

type Wanted = Omit<ScheduledPublication, "organizationId" | "versionId" | "templateId" | "scheduledBy" | "scheduledAt">;

/** Schedules the publication of a locked version in the place of what was scheduled before. */
export async function schedulePublication(act: Act & { readonly version: Version }, wanted: Wanted): Promise<void> {
  const { deps, caller, tenant, version, now } = act;
  const before = await findSchedule(tenant, version.id);
  if (before !== null && isAsWanted(before, wanted)) return;
  if (before !== null) requireNotDue([before], now);
  const event = { caller, eventId: deps.newId(), now };
  const records = versionScheduled({ ...event, auditId: deps.newId() }, version, wanted, before?.publishAt ?? null);
  await insertOutboxEm(tenant.em, schema, records);
  const by = { scheduledBy: caller.clientId, scheduledAt: now };
  if (before !== null) Object.assign(before, wanted, by);
  else addSchedule(tenant, { versionId: version.id, templateId: version.templateId, ...wanted, ...by });
}

const isAsWanted = (before: ScheduledPublication, wanted: Wanted): boolean =>
  Object.entries(wanted).every(([field, value]) => {
    const was = before[field as keyof Wanted];
    return was instanceof Date && value instanceof Date ? was.getTime() === value.getTime() : was === value;
  });

/** What was scheduled for these locked versions does not come; false when nothing was. */
export async function cancelSchedules(act: Act, versions: readonly Pick<Version, "id">[]): Promise<boolean> {
  const ids = versions.map(({ id }) => id);
  return callOff(act, await listSchedules(act.tenant, ids));
}

/** The same for all versions of locked templates. */
export async function cancelSchedulesOf(act: Act, templateIds: readonly string[]): Promise<void> {
  await callOff(act, await listSchedulesOf(act.tenant, templateIds));
}

async function callOff({ deps, caller, tenant, now }: Act, schedules: readonly ScheduledPublication[]) {
  if (schedules.length === 0) return false;
  requireNotDue(schedules, now);
  const records = schedules.flatMap((one) =>
    versionUnscheduled({ caller, eventId: deps.newId(), auditId: deps.newId(), now }, one),
  );
  await insertOutboxEm(tenant.em, schema, records);
  await deleteSchedules(
    tenant,
    schedules.map(({ versionId }) => versionId),
  );
  return true;
}

/** Its time came while a change waited for the locks: what is served since then is published first. */
export class BecameDue extends DomainError {
  constructor() {
    super("CLICK_VERSION_CONFLICT");
  }
}

function requireNotDue(schedules: readonly ScheduledPublication[], now: Date): void {
  if (schedules.some(({ publishAt }) => publishAt <= now)) throw new BecameDue();
}

/** Throws CLICK_VERSION_SCHEDULED: what was checked is what will be published. */
export async function requireUnscheduled(tenant: OrmTenant, versionId: string): Promise<void> {
  if ((await findSchedule(tenant, versionId)) !== null) throw new DomainError("CLICK_VERSION_SCHEDULED");
}
