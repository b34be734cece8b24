import { create, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Pool } from "pg";
import { nameReader, recordsOf } from "#api/records.ts";
import { ExportInterval, ExportScheduleSchema, type ExportService } from "#gen/assent/auth/v1/exports_pb.ts";
import { AcceptancesToExportSchema } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import { createQueueWorker, type QueueWorker } from "#platform/periodic.ts";
import { refusedField } from "#platform/problems.ts";
import { newSeed } from "#platform/vault/sealed-box.ts";
import { noOrigin } from "../domain/audit.ts";
import { nextDue, type ScheduleTimes } from "../domain/schedule-times.ts";
import { parseTimeZone } from "../domain/user.ts";
import { auditEntry } from "../logins/audit-entry.ts";
import { addAudit } from "../store/audit-store.ts";
import { type ExportDeps, formatOf, formats, note, requireTemplate } from "./export-handlers.ts";
import { createExportSeal, seedName } from "./export-seal.ts";
import {
  type DueSchedule,
  deleteSchedule,
  findDueSchedules,
  findExport,
  findSchedule,
  findScheduleByKey,
  insertExport,
  insertSchedule,
  listSchedules,
  lockDue,
  lockSchedule,
  lockSchedules,
  type StoredSchedule,
  updateSchedule,
  waitUntil,
} from "./export-store.ts";

/** More would only be forgotten. All of them fit into one answer. */
const maxSchedules = 50;

type Handlers = Pick<
  ServiceImpl<typeof ExportService>,
  "createExportSchedule" | "getExportSchedule" | "listExportSchedules" | "updateExportSchedule" | "deleteExportSchedule"
>;

export const exportScheduleHandlers = (deps: ExportDeps): Handlers => ({
  async createExportSchedule({ idempotencyKey, ...request }, context) {
    const caller = requireCaller(context);
    const { orgId, clientId: createdBy } = caller;
    const hashed = (text: string): Buffer => deps.vault.subjectIndex(orgId, `export schedule ${text}`);
    const { day = 1, at = "00:00", templateId = null } = request;
    const every = intervalOf(request.every);
    const format: StoredSchedule["format"] = formatOf(request);
    const zone = parseTimeZone(request.timeZone ?? "");
    const requestHash = hashed(JSON.stringify([format, templateId, every, day, at, zone]));
    const keyHash = idempotencyKey === "" ? null : hashed(`key:${idempotencyKey}`);
    const now = deps.clock.now();
    // What was made before is answered, whatever has become of its template since.
    const isNew =
      keyHash === null ||
      (await withOrg(deps.people, orgId, (tenant) => findScheduleByKey(tenant, keyHash))) === undefined;
    if (isNew) await requireTemplate(deps, caller, templateId, "templateId");
    const schedule = await withOrg(deps.people, orgId, async (tenant) => {
      const { count, timeZone: usual } = await lockSchedules(tenant);
      const made = keyHash === null ? undefined : await findScheduleByKey(tenant, keyHash);
      if (made !== undefined) return made;
      if (count >= maxSchedules) throw new DomainError("TOO_MANY_EXPORT_SCHEDULES");
      const times = requireDay({ every, day, at, timeZone: zone || usual || "UTC" });
      const added = { id: deps.newId(), format, templateId, ...times, requestHash, createdBy } as const;
      const nextAt = nextDue(times, now);
      await insertSchedule(tenant, { ...added, keyHash, createdAt: now, nextAt });
      await note(deps, tenant, caller, "export-schedule.created", added.id, { every });
      return { ...added, createdAt: now, nextAt, lastExportId: null, untilLeafIndex: 0 };
    });
    if (!schedule.requestHash.equals(requestHash)) throw new DomainError("IDEMPOTENCY_KEY_REUSED");
    return { schedule: messageOf(schedule) };
  },

  async getExportSchedule({ id }, context) {
    const { orgId } = requireCaller(context);
    return { schedule: messageOf(existing(await withOrg(deps.people, orgId, (tenant) => findSchedule(tenant, id)))) };
  },

  async listExportSchedules(_request, context) {
    const { orgId } = requireCaller(context);
    return { schedules: (await withOrg(deps.people, orgId, listSchedules)).map(messageOf) };
  },

  async updateExportSchedule({ id, format, templateId, every, day, at, timeZone, paused }, context) {
    const caller = requireCaller(context);
    existing(await withOrg(deps.people, caller.orgId, (tenant) => findSchedule(tenant, id)));
    await requireTemplate(deps, caller, templateId || null, "templateId");
    return withOrg(deps.people, caller.orgId, async (tenant) => {
      const found = existing(await lockSchedule(tenant, id));
      const times = requireDay({
        every: every === undefined ? found.every : intervalOf(every),
        // What was a day of the month is none of the week.
        day: day ?? (every === undefined || intervalOf(every) === found.every ? found.day : 1),
        at: at ?? found.at,
        timeZone: timeZone === undefined ? found.timeZone : parseTimeZone(timeZone),
      });
      const wasPaused = found.nextAt === null;
      const isSame = (["every", "day", "at", "timeZone"] as const).every((name) => times[name] === found[name]);
      // What is due already stays due, unless the times are other ones.
      const keepsTime = isSame && !wasPaused;
      const nextAt = (paused ?? wasPaused) ? null : keepsTime ? found.nextAt : nextDue(times, deps.clock.now());
      const wanted = templateId === undefined ? found.templateId : templateId || null;
      const changed = {
        ...{ ...found, ...times, nextAt, templateId: wanted },
        format: format === undefined ? found.format : formatOf({ format }),
        // Of another template nothing was exported yet.
        ...(wanted === found.templateId ? {} : { untilLeafIndex: 0, lastExportId: null }),
      };
      await updateSchedule(tenant, changed);
      const isPaused = String(nextAt === null);
      await note(deps, tenant, caller, "export-schedule.updated", id, { every: times.every, paused: isPaused });
      return { schedule: messageOf(changed) };
    });
  },

  async deleteExportSchedule({ id }, context) {
    const caller = requireCaller(context);
    return withOrg(deps.people, caller.orgId, async (tenant) => {
      if (!(await deleteSchedule(tenant, id))) throw new DomainError("EXPORT_SCHEDULE_NOT_FOUND");
      await note(deps, tenant, caller, "export-schedule.deleted", id);
      return {};
    });
  },
});

export interface ScheduleWorkerDeps extends ExportDeps {
  readonly janitor: Pool;
  readonly logger: Logger;
}

const dueAtOnce = 100;
/** How long the next export waits before it looks again whether the one before has ended. */
const waitMs = 30_000;
/** How long those of an organization that is being deleted stand back, since that may be called off. */
const closedWaitMs = 10 * 60_000;

/**
 * Asks for the exports that are due. Any number of processes may do it at the same time: what is due, the export and the
 * next time change in one transaction. Times that passed while no process ran are made up for by one export.
 */
export const createScheduleWorker = (deps: ScheduleWorkerDeps): QueueWorker =>
  createQueueWorker({
    ...{ name: "auth-export-schedules", pollMs: 5_000, logger: deps.logger },
    work: async (mayGoOn) => {
      for (const due of await findDueSchedules(deps.janitor, deps.clock.now(), dueAtOnce)) {
        if (!mayGoOn()) return;
        // Others do not wait for one that fails, and it comes again.
        await askFor(deps, due).catch((err: unknown) =>
          deps.logger.warn({ err, orgId: due.orgId, scheduleId: due.id }, "a scheduled export is asked for later"),
        );
      }
      deps.wakeExports();
    },
  });

async function askFor(deps: ScheduleWorkerDeps, { orgId, id }: DueSchedule): Promise<void> {
  const { people, clock, vault } = deps;
  const now = clock.now();
  await withOrg(people, orgId, async (tenant) => {
    const found = await lockDue(tenant, id, now);
    if (found?.nextAt === undefined || found.nextAt === null) return;
    if (found.isClosed) return waitUntil(tenant, id, new Date(now.getTime() + closedWaitMs));
    const last = found.lastExportId === null ? undefined : await findExport(tenant, found.lastExportId);
    // Only when it has ended it is known where the next one begins; from the same leaf, if it has failed.
    if (last?.status === "pending") return waitUntil(tenant, id, new Date(now.getTime() + waitMs));
    const { format, templateId, createdBy, untilLeafIndex } = found;
    const wanted = create(AcceptancesToExportSchema, {
      ...{ format: formats[format], fromLeafIndex: BigInt(untilLeafIndex) },
      ...(templateId === null ? {} : { templateId }),
    });
    const exportId = deps.newId();
    const seed = newSeed();
    const dueKey = vault.subjectIndex(orgId, `export due:${id} ${found.nextAt.toISOString()}`);
    // With the leaf also where it is 0: processes of the release before, which do not know it, leave the export to others.
    const about = JSON.stringify(toJson(AcceptancesToExportSchema, wanted, { alwaysEmitImplicit: true }));
    const isNew = await insertExport(tenant, {
      ...{ id: exportId, kind: "acceptances", format, keyHash: dueKey, requestHash: dueKey, createdBy, scheduleId: id },
      ...{ requestId: "", createdAt: now, seed: vault.wrapSeed(seedName(orgId, exportId), seed) },
      sealedPerson: createExportSeal(exportId, seed).sealText(about),
    });
    // A time that was put off and back again has had its export.
    if (isNew) {
      const details = { kind: "acceptances", schedule: id };
      const what = { actor: { id: "", name: "" }, subject: { id: exportId, name: "" }, origin: noOrigin, details };
      await addAudit(tenant, auditEntry(deps, { action: "export.requested", ...what }));
    }
    await updateSchedule(tenant, {
      ...{ ...found, nextAt: nextDue(found, now) },
      lastExportId: isNew ? exportId : found.lastExportId,
    });
  });
}

function existing(schedule: StoredSchedule | undefined): StoredSchedule {
  if (schedule === undefined) throw new DomainError("EXPORT_SCHEDULE_NOT_FOUND");
  return schedule;
}

/** Throws VALIDATION_FAILED for a day that no week has. */
function requireDay(times: ScheduleTimes): ScheduleTimes {
  if (times.every !== "weekly" || times.day <= 7) return times;
  throw refusedField("day", "RANGE", "must be from 1 for Monday to 7 for Sunday");
}

const intervals = {
  daily: ExportInterval.DAILY,
  weekly: ExportInterval.WEEKLY,
  monthly: ExportInterval.MONTHLY,
} as const;

const nameOfInterval = nameReader(intervals);
const intervalOf = (interval: ExportInterval): StoredSchedule["every"] => nameOfInterval(interval) ?? "daily";

const records = recordsOf(ExportScheduleSchema, { format: formats, every: intervals });

const messageOf = (schedule: StoredSchedule): MessageInitShape<typeof ExportScheduleSchema> =>
  records.write({ ...schedule, paused: schedule.nextAt === null });
