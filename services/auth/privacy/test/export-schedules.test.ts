import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Client, createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { ExportInterval, type ExportSchedule, ExportService, ExportStatus } from "#gen/assent/auth/v1/exports_pb.ts";
import { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { AcceptanceFormat, PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { createMemoryBus } from "#platform/events/memory.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import {
  type AuthHarness,
  type AuthProcess,
  createOrganization,
  createProcess,
  startAuth,
  untilWorked,
} from "../../test/harness.ts";
import { createOwner } from "../../test/people.ts";

const hour = 3_600_000;
const day = 24 * hour;
const unknownId = "01961234-5678-7abc-8def-0123456789ab";

const logger = createLogger("auth", "silent");

let auth: AuthHarness;
let processes: AuthProcess[];
let organizationId: string;
/** How many leaves the log has, and which the click service was asked for. */
let size: number;
let spans: string[];
/** What it fails with, and what it waits for. */
let failure: Error | undefined;
let barrier: Promise<void>;

const receipts = createMemoryTransport(
  (router) => {
    router.service(PersonalDataService, {
      exportOrganization: async ({ acceptances, cursor }) => {
        if (acceptances === undefined) return {};
        if (failure !== undefined) throw failure;
        if (cursor !== "") await barrier;
        const from = Number(acceptances.fromLeafIndex);
        const end = cursor === "" ? size : Number(cursor);
        spans.push(`${from}-${end}${cursor === "" ? "" : " on"}`);
        const span = { fromLeafIndex: BigInt(from), untilLeafIndex: BigInt(end) };
        // What is recorded between two pages belongs to the next export.
        return { ...span, files: [], nextCursor: cursor === "" ? String(end) : "" };
      },
    });
    router.service(ClickService, {
      getCampaign: (request, context) => {
        const isOwn = requireCaller(context).orgId === organizationId && request.campaignId === campaignId;
        if (!isOwn) throw new DomainError("CLICK_CAMPAIGN_NOT_FOUND");
        return { campaign: { id: campaignId } };
      },
    });
  },
  { interceptors: serverInterceptors({ service: "click", logger, metrics: createMetrics() }) },
);

/** Other organizations have templates of theirs; whoever asks has these. */
const templateId = "01961234-5678-7abc-8def-0123456789ac";
const versionId = "01961234-5678-7abc-8def-0123456789ad";
const campaignId = "01961234-5678-7abc-8def-0123456789ae";
let isTemplateGone: boolean;
const texts = createMemoryTransport(
  (router) => {
    router.service(TemplatesService, {
      getTemplate: (request, context) => {
        const isOwn = requireCaller(context).orgId === organizationId && request.templateId === templateId;
        if (!isOwn || isTemplateGone) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
        return { template: { id: templateId } };
      },
      // Published twice, and read also after the template was deleted.
      getRevision: (request, context) => {
        const isOwn = requireCaller(context).orgId === organizationId && request.versionId === versionId;
        const belongs = request.templateId === "" || request.templateId === templateId;
        if (!isOwn || !belongs || request.revision > 2) throw new DomainError("CLICK_VERSION_NOT_FOUND");
        return { versionId, revision: request.revision };
      },
    });
  },
  { interceptors: serverInterceptors({ service: "templates", logger, metrics: createMetrics() }) },
);

const workersOf = ({ service }: AuthProcess) =>
  service.workers.filter(({ name }) => ["auth-exports", "auth-export-schedules"].includes(name));
const startProcess = async (): Promise<void> => {
  const config = { databaseUrl: auth.databaseUrl };
  const process = await createProcess(config, auth.clock, undefined, createMemoryBus(), {
    click: receipts,
    templates: texts,
  });
  for (const worker of workersOf(process)) await worker.start();
  processes.push(process);
};
const stopProcesses = async (): Promise<void> => {
  for (const process of processes.splice(0)) {
    for (const worker of workersOf(process)) await worker.stop();
    await process.service.close();
  }
};

beforeAll(async () => {
  processes = [];
  auth = await startAuth();
  await startProcess();
  await startProcess();
});
afterAll(async () => {
  await stopProcesses();
  await auth.stop();
});
beforeEach(async () => {
  // Nothing of an earlier test is due.
  await auth.superuser.query("delete from auth.export_schedule");
  organizationId = await createOrganization(auth);
  [size, spans, failure, barrier, isTemplateGone] = [0, [], undefined, Promise.resolve(), false];
});

const exports = (): Client<typeof ExportService> => {
  const interceptors = serverInterceptors({ service: "auth", logger, metrics: createMetrics() });
  return createClient(ExportService, createMemoryTransport(known(processes[0]).service.routes, { interceptors }));
};
const by = (organization = organizationId) => ({
  headers: { "x-org-id": organization, "x-client-id": "cl_test", "x-request-id": "req_1" },
});
const daily = { format: AcceptanceFormat.CSV, every: ExportInterval.DAILY, at: "06:00" };
const create = async (wish: object = {}): Promise<ExportSchedule> =>
  known((await exports().createExportSchedule({ ...daily, ...wish }, by())).schedule);
const read = async (id: string): Promise<ExportSchedule> =>
  known((await exports().getExportSchedule({ id }, by())).schedule);
const known = <T>(found: T | undefined): T => {
  if (found === undefined) throw new Error("it is not there");
  return found;
};
const dueAt = ({ nextAt }: ExportSchedule): string | undefined => nextAt && timestampDate(nextAt).toISOString();
const goTo = ({ nextAt }: ExportSchedule): void => {
  if (nextAt === undefined) throw new Error("nothing is due");
  auth.clock.advance(timestampDate(nextAt).getTime() - auth.clock.now().getTime());
};
const until = <T>(condition: () => Promise<T | false | undefined>): Promise<T> =>
  untilWorked(() => processes, "auth-export", condition);
const listed = async () => (await exports().listExports({}, by())).exports.toReversed();
const untilMade = (count: number) =>
  until(async () => {
    const made = await listed();
    return made.length === count && made.every(({ status }) => status === ExportStatus.COMPLETED) && made;
  });
const told = async () => {
  const sql = `select data from auth.outbox where organization_id = $1 and subject = 'assent.auth.export.ended'
    order by position`;
  const { rows } = await auth.superuser.query<{ data: string }>(sql, [organizationId]);
  return rows.map(({ data }) => JSON.parse(data).exportEnded);
};

describe("scheduled exports", () => {
  test("come once for each due time, with what was recorded since the one before, and are told of", async () => {
    const schedule = await create({ templateId });
    size = 7;
    goTo(schedule);
    const [first] = await untilMade(1);
    expect(first).toMatchObject({ scheduleId: schedule.id, fromLeafIndex: 0n, untilLeafIndex: 7n, files: 0 });
    const next = await read(schedule.id);
    expect([next.lastExportId, timestampDate(next.nextAt ?? never()).getTime()]).toEqual([
      first?.id,
      timestampDate(schedule.nextAt ?? never()).getTime() + day,
    ]);
    size = 12;
    goTo(next);
    await untilMade(2);
    goTo(await read(schedule.id));
    const made = await untilMade(3);
    expect(made.map(({ fromLeafIndex, untilLeafIndex }) => [fromLeafIndex, untilLeafIndex])).toEqual([
      [0n, 7n],
      [7n, 12n],
      [12n, 12n],
    ]);
    expect(spans).toEqual(["0-7", "0-7 on", "7-12", "7-12 on", "12-12", "12-12 on"]);
    expect(await told()).toEqual(
      made.map(({ id }) => ({
        ...{ exportId: id, kind: "acceptances", status: "completed", scheduleId: schedule.id, format: "csv" },
        ...{ parts: 0, bytes: "0", expiresAt: expect.any(String) },
      })),
    );
    const { rows } = await auth.superuser.query(
      `select action, actor_id, details from auth.audit_event where organization_id = $1 and action like 'export%'
       order by event_id`,
      [organizationId],
    );
    const asked = { action: "export.requested", actor_id: "", details: { kind: "acceptances", schedule: schedule.id } };
    const created = { action: "export-schedule.created", actor_id: "cl_test", details: { every: "daily" } };
    expect(rows).toEqual([created, asked, asked, asked]);
  });

  test("that passed while nothing ran are made up for by one, wherever a process was killed", async () => {
    const schedule = await create();
    let release = (): void => undefined;
    barrier = new Promise((resolve) => {
      release = resolve;
    });
    size = 3;
    goTo(schedule);
    // One process has asked for it and read its first page when the next times pass.
    await until(async () => spans.includes("0-3"));
    size = 9;
    auth.clock.advance(3 * day);
    await startProcess();
    await until(async () => {
      const { rows } = await auth.superuser.query<{ waits: boolean }>(
        "select run_at > next_at as waits from auth.export_schedule where id = $1",
        [schedule.id],
      );
      return rows[0]?.waits;
    });
    expect(await listed()).toHaveLength(1);
    release();
    await untilMade(1);
    auth.clock.advance(hour);
    const made = await untilMade(2);
    expect(made.map(({ fromLeafIndex, untilLeafIndex }) => [fromLeafIndex, untilLeafIndex])).toEqual([
      [0n, 3n],
      [3n, 9n],
    ]);
    expect((await told()).map(({ exportId }) => exportId)).toEqual(made.map(({ id }) => id));
  });

  test("begin where one began that failed", async () => {
    const schedule = await create();
    size = 5;
    failure = new Error("the click service is away");
    goTo(schedule);
    await until(async () => (await listed()).length === 1);
    auth.clock.advance(day + hour);
    await until(async () => (await listed())[0]?.status === ExportStatus.FAILED);
    expect(await told()).toMatchObject([{ status: "failed", scheduleId: schedule.id }]);
    failure = undefined;
    auth.clock.advance(hour);
    await until(async () => (await listed())[1]?.status === ExportStatus.COMPLETED);
    expect((await listed())[1]).toMatchObject({ fromLeafIndex: 0n, untilLeafIndex: 5n });
  });

  test("of another template begin anew", async () => {
    const schedule = await create();
    size = 7;
    goTo(schedule);
    await untilMade(1);
    const changed = known((await exports().updateExportSchedule({ id: schedule.id, templateId }, by())).schedule);
    goTo(changed);
    const [, second] = await untilMade(2);
    expect(second).toMatchObject({ fromLeafIndex: 0n, untilLeafIndex: 7n });
  });

  test("are paused, resumed, changed and deleted; what was recorded meanwhile is in the next one", async () => {
    const { id, ...made } = await create({ every: ExportInterval.WEEKLY, day: 3, timeZone: "Europe/Berlin" });
    expect(made).toMatchObject({ day: 3, at: "06:00", timeZone: "Europe/Berlin", paused: false, templateId: "" });
    const change = async (wish: object) =>
      known((await exports().updateExportSchedule({ id, ...wish }, by())).schedule);
    const paused = await change({ paused: true });
    expect([paused.paused, paused.nextAt]).toEqual([true, undefined]);
    expect((await change({ at: "07:30" })).nextAt).toBeUndefined();
    auth.clock.advance(30 * day);
    const resumed = await change({ paused: false, every: ExportInterval.MONTHLY, templateId });
    expect(resumed).toMatchObject({ day: 1, at: "07:30", paused: false, templateId });
    expect((await change({ templateId: "" })).templateId).toBe("");
    expect(dueAt(await change({}))).toBe(dueAt(resumed));
    await expectDomainError(change({ every: ExportInterval.WEEKLY, day: 8 }), "VALIDATION_FAILED");
    await expectDomainError(change({ timeZone: "Mars/Olympus" }), "VALIDATION_FAILED");
    expect(await listed()).toEqual([]);
    await exports().deleteExportSchedule({ id }, by());
    await expectDomainError(exports().deleteExportSchedule({ id }, by()), "EXPORT_SCHEDULE_NOT_FOUND");
    expect((await exports().listExportSchedules({}, by())).schedules).toEqual([]);
  });

  test("are of a template that the organization has; one of another organization is as unknown as one that is not", async () => {
    const { id } = await create();
    const other = by(await createOrganization(auth));
    for (const [call, wrong] of [
      [by(), unknownId],
      [other, templateId],
    ] as const) {
      const wished = exports().createExportSchedule({ ...daily, templateId: wrong }, call);
      await expectDomainError(wished, "VALIDATION_FAILED");
    }
    await expectDomainError(exports().updateExportSchedule({ id, templateId: unknownId }, by()), "VALIDATION_FAILED");
    expect((await read(id)).templateId).toBe("");
    // Nothing is kept of a schedule that is refused, its key included.
    await expectDomainError(create({ templateId: unknownId, idempotencyKey: "key-1" }), "VALIDATION_FAILED");
    expect((await create({ templateId, idempotencyKey: "key-1" })).templateId).toBe(templateId);
    expect((await exports().listExportSchedules({}, other)).schedules).toEqual([]);
  });

  test("refuse a template as one export does, which is made once for its key whatever becomes of the template", async () => {
    const wish = (id: string, idempotencyKey = "") => ({
      ...{ idempotencyKey, acceptances: { format: AcceptanceFormat.CSV, templateId: id } },
    });
    const other = by(await createOrganization(auth));
    for (const [call, wrong] of [
      [by(), unknownId],
      [other, templateId],
    ] as const) {
      const refused = exports().createExport(wish(wrong, "key-1"), call);
      const { details } = await expectDomainError(refused, "VALIDATION_FAILED");
      expect(details).toMatchObject([{ field: "acceptances.templateId", code: "NOT_FOUND" }]);
    }
    const { export: made } = await exports().createExport(wish(templateId, "key-1"), by());
    isTemplateGone = true;
    const { export: again } = await exports().createExport(wish(templateId, "key-1"), by());
    expect(again?.id).toBe(known(made).id);
    await expectDomainError(exports().createExport(wish(templateId), by()), "VALIDATION_FAILED");
  });

  test("and single exports refuse versions, revisions and campaigns that the organization does not have", async () => {
    const other = by(await createOrganization(auth));
    const ask = (wanted: Readonly<Record<string, unknown>>, call = by()) =>
      exports().createExport({ acceptances: { format: AcceptanceFormat.CSV, ...wanted } }, call);
    for (const [field, wanted, call] of [
      ["versionId", { versionId: unknownId }, by()],
      ["versionId", { versionId }, other],
      ["versionId", { versionId: unknownId, revision: 2 }, by()],
      ["revision", { versionId, revision: 3 }, by()],
      ["campaignId", { campaignId: unknownId }, by()],
      ["campaignId", { campaignId }, other],
    ] as const) {
      const { details } = await expectDomainError(ask(wanted, call), "VALIDATION_FAILED");
      expect(details).toMatchObject([{ field: `acceptances.${field}`, code: "NOT_FOUND" }]);
    }
    for (const wanted of [{ versionId }, { templateId, versionId, revision: 2 }, { campaignId }]) {
      expect((await ask(wanted)).export?.id).toBeTruthy();
    }
    isTemplateGone = true;
    expect((await ask({ versionId, revision: 2 })).export?.id).toBeTruthy();
  });

  test("follow the clocks of the organization unless they name others", async () => {
    const owner = await createOwner(auth, organizationId);
    expect((await create()).timeZone).toBe("UTC");
    await auth.organization.updateOrganization({ timeZone: "America/New_York" }, owner.call);
    expect((await create()).timeZone).toBe("America/New_York");
  });

  test("are made once for the same key, also at once, and at most fifty", async () => {
    const made = await Promise.all([1, 2, 3].map(() => create({ idempotencyKey: "key-1" })));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    await expectDomainError(create({ idempotencyKey: "key-1", at: "07:00" }), "IDEMPOTENCY_KEY_REUSED");
    await Promise.all(Array.from({ length: 48 }, () => create()));
    const last = await Promise.allSettled([create(), create()]);
    expect(last.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expectDomainError(create(), "TOO_MANY_EXPORT_SCHEDULES");
  });

  test("are nobody's of another organization, and end with it", async () => {
    const { id } = await create();
    const other = by(await createOrganization(auth));
    for (const wrong of [unknownId, id]) {
      await expectDomainError(exports().getExportSchedule({ id: wrong }, other), "EXPORT_SCHEDULE_NOT_FOUND");
      const change = exports().updateExportSchedule({ id: wrong, paused: true }, other);
      await expectDomainError(change, "EXPORT_SCHEDULE_NOT_FOUND");
      await expectDomainError(exports().deleteExportSchedule({ id: wrong }, other), "EXPORT_SCHEDULE_NOT_FOUND");
    }
    expect((await exports().listExportSchedules({}, other)).schedules).toEqual([]);
    // Nothing is asked for while an organization is being deleted.
    await auth.superuser.query("update auth.organization set closed_at = now() where organization_id = $1", [
      organizationId,
    ]);
    // More of them than are looked for at once are due longest of all.
    await auth.superuser.query(
      `insert into auth.export_schedule (organization_id, id, request_hash, format, every, day, at, time_zone, created_by,
         created_at, next_at, run_at)
       select s.organization_id, gen_random_uuid(), s.request_hash, s.format, s.every, s.day, s.at, s.time_zone,
         s.created_by, s.created_at, s.next_at, s.run_at
       from auth.export_schedule s, generate_series(1, 120) where s.id = $1`,
      [id],
    );
    const still = organizationId;
    organizationId = await createOrganization(auth);
    const witness = await create({ at: "06:01" });
    goTo(witness);
    await untilMade(1);
    organizationId = still;
    expect(await listed()).toEqual([]);
  });
});

function never(): never {
  throw new Error("there is no time");
}
