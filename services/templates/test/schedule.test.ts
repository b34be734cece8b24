import { setTimeout as delay } from "node:timers/promises";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TemplateType, type Version, VersionStatus } from "#gen/assent/templates/v1/templates_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { publisherPollMs } from "../rpc/due-publications.ts";
import { answerValidMs } from "../rpc/resolve-templates.ts";
import { createActive } from "./deployment-harness.ts";
import {
  clientId,
  createPublished,
  createTemplate,
  createVersion,
  type Organization,
  present,
  publish,
  readEvents,
  startTemplates,
  type TemplatesHarness,
  type TemplatesProcess,
  unpublish,
  updateTemplate,
} from "./harness.ts";
import {
  actByHand,
  archive,
  bulkArchive,
  consentConfig,
  getVersion,
  readSubjects,
  restore,
  saveDraft,
  schedule,
  untilWaiting,
  updateVersion,
} from "./lifecycle-harness.ts";

let harness: TemplatesHarness;
let second: TemplatesProcess;
beforeAll(async () => {
  harness = await startTemplates();
  second = await harness.another();
});
afterAll(() => harness.stop());

const minute = 60_000;
const inMs = (ms: number): Date => new Date(harness.clock.now().getTime() + ms);
const nameOf = ({ id: versionId, templateId }: Pick<Version, "id" | "templateId">) => ({ templateId, versionId });

/** A published version whose next text goes live in a minute. */
async function scheduled(organization: Organization, publishAt = inMs(minute)) {
  const { template, version } = await createPublished(organization);
  await saveDraft(organization, version, "<p>Next</p>");
  return { template, version: await schedule(organization, version, publishAt), publishAt };
}

async function resolve({ client }: TemplatesProcess, { orgId }: Organization, templateId: string) {
  const item = { organizationId: orgId, template: { case: "templateId", value: templateId } } as const;
  const { results, validForMs } = await client.resolveTemplates({ items: [item] });
  return { ...present(results[0]), validForMs };
}

const revisionsIn = (snapshot: Awaited<ReturnType<typeof resolve>>["snapshot"]) =>
  (snapshot?.publishedVersions ?? []).map(({ revision, label }) => `${revision} as ${label}`);

const toldOf = async ({ orgId }: Organization) =>
  (await readSubjects(harness, orgId)).filter((subject) => !subject.startsWith("assent.audit"));

const countScheduled = async ({ orgId }: Organization): Promise<number | undefined> => {
  const sql = "select count(*)::integer as n from templates.scheduled_publication where organization_id = $1";
  return (await harness.superuser.query<{ n: number }>(sql, [orgId])).rows[0]?.n;
};

const lockByHand = (templateId: string) =>
  actByHand(harness, "select from templates.template where id = $1 for update", [templateId]);

/** More versions of its template that are as this one is, and scheduled as it is. */
async function addCopies({ id }: Version, count: number): Promise<void> {
  await harness.superuser.query(
    `with copy as (
       insert into templates.version
         select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'locale', 'x-' || n,
           'status', 'DRAFT', 'revision', 0, 'label', null, 'published_at', null, 'published_by', null))).*
         from templates.version s, generate_series(1, $2) n where s.id = $1 returning *)
     insert into templates.scheduled_publication
       select (jsonb_populate_record(s, jsonb_build_object('version_id', c.id, 'locale', c.locale, 'revision', 1))).*
       from templates.scheduled_publication s, copy c where s.version_id = $1`,
    [id, count],
  );
}

describe("a scheduled publication", () => {
  test("comes at its time in every process, whoever looks, and was published then", async () => {
    const organization = harness.organization();
    const { template, version, publishAt } = await scheduled(organization);
    const { id: deploymentId } = await createActive(organization, template.id);
    const now = timestampFromDate(harness.clock.now());
    expect(version).toMatchObject({ status: VersionStatus.PUBLISHED, revision: 1, draft: { baseRevision: 1 } });
    expect(version.schedule).toMatchObject({
      ...{ publishAt: timestampFromDate(publishAt), scheduledBy: clientId, scheduledAt: now },
      ...{ requireReacceptance: true, label: "2.0" },
    });
    const served = async (process: TemplatesProcess) => {
      const { template: found } = await process
        .organization(organization.orgId)
        .resolveDeployment({ deployment: { case: "deploymentId", value: deploymentId } });
      return revisionsIn(found);
    };
    harness.clock.advance(minute - 1);
    for (const process of [harness, second]) {
      const { snapshot } = await resolve(process, organization, template.id);
      expect([revisionsIn(snapshot), await served(process)]).toEqual([["1 as 1.0"], ["1 as 1.0"]]);
    }
    await expectDomainError(
      organization.getRevision({ versionId: version.id, revision: 2 }),
      "CLICK_VERSION_NOT_FOUND",
    );

    harness.clock.advance(1);
    const early = await resolve(second, organization, template.id);
    expect([revisionsIn(early.snapshot), await served(harness)]).toEqual([["2 as 2.0"], ["2 as 2.0"]]);
    // Nothing has written it down by then, and it reads the same afterwards.
    harness.clock.advance(5 * minute);
    const { content } = await second
      .organization(organization.orgId)
      .getRevision({ versionId: version.id, revision: 2 });
    expect(Buffer.from(content).toString()).toBe("<p>Next</p>");
    expect((await resolve(harness, organization, template.id)).etag).toBe(early.etag);
    const after = await getVersion(organization, version);
    expect(after).toMatchObject({ revision: 2, label: "2.0", content: "<p>Next</p>", publishedBy: clientId });
    expect([after.publishedAt, after.draft, after.schedule]).toEqual([
      timestampFromDate(publishAt),
      undefined,
      undefined,
    ]);
    const events = await readEvents(harness, organization.orgId);
    const told = events.find(({ versionPublished: published }) => published?.revision === 2);
    expect(told).toMatchObject({ occurredAt: publishAt.toISOString(), versionPublished: { label: "2.0" } });
    expect(await toldOf(organization)).toEqual(["version.published", "version.scheduled", "version.published"]);
  });

  test("makes a first version live, and no answer is good for longer than until then", async () => {
    const organization = harness.organization();
    const { id: templateId } = await createTemplate(organization);
    const draft = await createVersion(organization, templateId);
    const publishAt = inMs(10);
    await schedule(organization, draft, publishAt);
    const before = await resolve(harness, organization, templateId);
    expect([revisionsIn(before.snapshot), before.validForMs]).toEqual([[], 9]);
    expect(before.snapshot?.changesAt).toEqual(timestampFromDate(publishAt));
    harness.clock.advance(10);
    const after = await resolve(harness, organization, templateId);
    expect([revisionsIn(after.snapshot), after.validForMs]).toEqual([["1 as 1.0"], answerValidMs]);
    expect(after.snapshot?.changesAt).toBeUndefined();
    expect(await organization.listVersions({ templateId, publishedOnly: true })).toMatchObject({
      versions: [{ revision: 1, status: VersionStatus.PUBLISHED }],
    });
  });

  test("comes without a reader, by whichever process is there, also by one that starts later", async () => {
    const organization = harness.organization();
    const { version, publishAt } = await scheduled(organization);
    const workers = (process: TemplatesProcess) =>
      process.service.workers?.filter(({ name }) => name === "templates-publisher") ?? [];
    const count = async () => (await toldOf(organization)).filter((subject) => subject === "version.published").length;
    const third = await harness.another();
    for (const worker of workers(third)) await worker.start();
    // The timer of the first is for a time that it does not see, because it ends before.
    for (const worker of workers(third)) await worker.stop();
    harness.clock.advance(7 * minute);
    expect(await count()).toBe(1);
    const started = [harness, second].flatMap(workers);
    expect(started).toHaveLength(2);
    for (const worker of started) await worker.start();
    await until(async () => (await count()) === 2);
    const next = await scheduled(organization, inMs(400));
    harness.clock.advance(400);
    // Woken by its timer at the second.
    await until(async () => (await count()) === 4, 4_000);
    for (const worker of started) await worker.stop();
    expect((await getVersion(organization, version)).publishedAt).toEqual(timestampFromDate(publishAt));
    expect((await getVersion(organization, next.version)).publishedAt).toEqual(timestampFromDate(next.publishAt));
  }, 60_000);

  test("stays published when the clock goes back, and comes when it jumps ahead, each in its order", async () => {
    const organization = harness.organization();
    const { template, version } = await scheduled(organization);
    harness.clock.advance(minute);
    expect(await getVersion(organization, version)).toMatchObject({ revision: 2 });
    harness.clock.advance(-30 * minute);
    expect(revisionsIn((await resolve(second, organization, template.id)).snapshot)).toEqual(["2 as 2.0"]);
    expect(await getVersion(organization, version)).toMatchObject({ revision: 2 });
    const others = await Promise.all([3, 1, 2].map((n) => scheduled(organization, inMs(n * minute))));
    harness.clock.advance(24 * 60 * minute);
    await organization.listTemplates({});
    const published = (await readEvents(harness, organization.orgId)).flatMap(({ versionPublished: told }) =>
      told?.revision === 2 && told.versionId !== version.id ? [told.versionId] : [],
    );
    expect(published).toEqual([1, 2, 0].map((n) => others[n]?.version.id));
    harness.clock.advance(-24 * 60 * minute);
  });

  test("is put off by the same call, and asked for twice it is told once", async () => {
    const organization = harness.organization();
    const { version, publishAt } = await scheduled(organization);
    expect(await schedule(organization, version, publishAt)).toEqual(version);
    const later = inMs(2 * minute);
    const moved = await schedule(organization, version, later, false);
    expect(moved.schedule).toMatchObject({
      publishAt: timestampFromDate(later),
      label: "1.1",
      requireReacceptance: false,
    });
    const events = await readEvents(harness, organization.orgId);
    expect(events.flatMap(({ versionScheduled: told }) => told ?? [])).toMatchObject([
      { publishAt: publishAt.toISOString(), requiresReacceptance: true },
      { publishAt: later.toISOString(), previousPublishAt: publishAt.toISOString() },
    ]);
    const audited = events.flatMap(({ auditedTemplate: told }) =>
      told === undefined ? [] : [[told.action, told.changes]],
    );
    expect(audited.slice(1)).toEqual([
      ["publication.scheduled", [{ field: "publishAt", value: publishAt.toISOString() }]],
      ["publication.scheduled", [{ field: "publishAt", value: later.toISOString() }]],
    ]);
    harness.clock.advance(minute);
    expect(await getVersion(organization, version)).toMatchObject({ revision: 1 });
    harness.clock.advance(minute);
    // Who did not get the answer asks once more, when it has come to pass.
    const done = await schedule(organization, version, later, false);
    expect([done.revision, done.label, done.schedule]).toEqual([2, "1.1", undefined]);
  });

  test("is announced by its template, however that is read, and of several the next one", async () => {
    const organization = harness.organization();
    const { template, publishAt } = await scheduled(organization, inMs(2 * minute));
    const { id: templateId } = template;
    const announced = async () => {
      const read = [false, true].map(async (includeVersions) => {
        const { templates } = await organization.listTemplates({ includeVersions });
        return [...templates, present((await organization.getTemplate({ templateId, includeVersions })).template)];
      });
      const all = (await Promise.all(read)).flat().map(({ nextPublicationAt: at }) => at);
      expect(all).toHaveLength(4);
      return [...new Set(all.map((at) => (at === undefined ? undefined : timestampDate(at).getTime())))];
    };
    const german = await createVersion(organization, templateId, { locale: "de" });
    const later = await createVersion(organization, templateId, { locale: "fr" });
    await schedule(organization, german, inMs(minute));
    await schedule(organization, later, inMs(3 * minute));
    expect(await announced()).toEqual([publishAt.getTime() - minute]);
    await organization.cancelVersionSchedule(nameOf(german));
    expect(await announced()).toEqual([publishAt.getTime()]);
    harness.clock.advance(3 * minute);
    expect(await announced()).toEqual([undefined]);
  });

  test("is cancelled, once, and the text can be edited again", async () => {
    const organization = harness.organization();
    const { version } = await scheduled(organization);
    await organization.cancelVersionSchedule(nameOf(version));
    await expectDomainError(organization.cancelVersionSchedule(nameOf(version)), "CLICK_SCHEDULE_NOT_FOUND");
    await saveDraft(organization, version, "<p>Other</p>");
    harness.clock.advance(2 * minute);
    expect(await getVersion(organization, version)).toMatchObject({ revision: 1, draft: { baseRevision: 1 } });
    expect(await toldOf(organization)).toEqual(["version.published", "version.scheduled", "version.unscheduled"]);
  });

  test("is refused for a time that is over, and for what could not be published now", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    await expectDomainError(schedule(organization, version, inMs(minute)), "CLICK_DRAFT_NOT_FOUND");
    const draft = await saveDraft(organization, version, "<script>no</script>");
    await expectDomainError(schedule(organization, version, inMs(minute)), "CLICK_CONTENT_INVALID");
    await saveDraft(organization, version, "<p>Next</p>");
    for (const ms of [0, -1])
      await expectDomainError(schedule(organization, version, inMs(ms)), "CLICK_VALIDATION_FAILED");
    const publishAt = timestampFromDate(inMs(minute));
    const order = { ...nameOf(version), publishAt };
    await expectDomainError(organization.publishVersion({ ...order, published: false }), "CLICK_VALIDATION_FAILED");
    const stale = { ...order, published: true, ifUpdatedAt: present(draft.updatedAt) };
    await expectDomainError(organization.publishVersion(stale), "CLICK_VERSION_CONFLICT");
    await archive(organization, version);
    await expectDomainError(schedule(organization, version, inMs(minute)), "CLICK_VERSION_ARCHIVED");
    await bulkArchive(organization, template.id);
    await expectDomainError(schedule(organization, version, inMs(minute)), "CLICK_TEMPLATE_ARCHIVED");
    expect(await toldOf(organization)).not.toContain("version.scheduled");
  });

  test("keeps what was checked from being edited", async () => {
    const organization = harness.organization();
    const { version } = await scheduled(organization);
    await expectDomainError(saveDraft(organization, version, "<p>Other</p>"), "CLICK_VERSION_SCHEDULED");
    await expectDomainError(organization.deleteVersionDraft(nameOf(version)), "CLICK_VERSION_SCHEDULED");
    expect((await saveDraft(organization, version, "<p>Next</p>")).content).toBe("<p>Next</p>");
    const { id: templateId } = await createTemplate(organization, {
      type: TemplateType.CONSENT,
      typeConfig: consentConfig,
    });
    const consent = await createVersion(organization, templateId);
    await schedule(organization, consent, inMs(minute));
    const change = updateVersion(organization, consent, ["content"], { content: "<p>Other</p>" });
    await expectDomainError(change, "CLICK_VERSION_SCHEDULED");
    await expectDomainError(
      updateTemplate(organization, templateId, ["type_config"], { typeConfig: {} }),
      "CLICK_CONTENT_INVALID",
    );
    harness.clock.advance(minute);
    expect(await getVersion(organization, consent)).toMatchObject({ revision: 1, status: VersionStatus.PUBLISHED });
  });

  test.each([
    ["a publication at once", publish, 2],
    ["unpublishing", unpublish, 1],
    ["archiving the version", archive, 1],
    [
      "archiving the template",
      async (organization: Organization, { templateId }: Version) => {
        await bulkArchive(organization, templateId);
        await restore(organization, templateId);
      },
      1,
    ],
  ])("is ended by %s, and that is told", async (_title, end, revision) => {
    const organization = harness.organization();
    const { version } = await scheduled(organization);
    await end(organization, version);
    expect(await toldOf(organization)).toContain("version.unscheduled");
    harness.clock.advance(2 * minute);
    const after = await getVersion(organization, version);
    expect([after.revision, after.schedule]).toEqual([revision, undefined]);
    await expectDomainError(organization.cancelVersionSchedule(nameOf(version)), "CLICK_SCHEDULE_NOT_FOUND");
  });

  test.each([
    [
      "its cancelling",
      (organization: Organization, version: Version) =>
        expectDomainError(organization.cancelVersionSchedule(nameOf(version)), "CLICK_SCHEDULE_NOT_FOUND"),
    ],
    [
      "putting it off",
      (organization: Organization, version: Version) =>
        expectDomainError(schedule(organization, version, inMs(5 * minute)), "CLICK_DRAFT_NOT_FOUND"),
    ],
    ["archiving the version", archive],
    [
      "archiving the template",
      (organization: Organization, { templateId }: Version) => bulkArchive(organization, templateId),
    ],
  ])("is not taken back by %s that waits past its time", async (_title, end) => {
    const organization = harness.organization();
    const { template, version } = await scheduled(organization);
    const release = await lockByHand(template.id);
    const ending = end(organization, version);
    await untilWaiting(harness, 1);
    harness.clock.advance(minute);
    await release("commit");
    await ending;
    const told = await toldOf(organization);
    expect(told.slice(0, 3)).toEqual(["version.published", "version.scheduled", "version.published"]);
    expect(told).not.toContain("version.unscheduled");
  });

  test("of others keeps nobody waiting, and is told once however many look", async () => {
    const organization = harness.organization();
    const [locked, ...others] = await Promise.all([0, 1, 2].map(() => scheduled(organization)));
    await addCopies(present(others[1]).version, 300);
    const [first] = others.map(({ version }) => version);
    const version = present(first);
    harness.clock.advance(minute);
    const release = await lockByHand(present(locked).template.id);
    await organization.getRevision({ versionId: version.id, revision: 2 });
    expect(await countScheduled(organization)).toBe(302);
    const clients = [organization, second.organization(organization.orgId)];
    await Promise.all(
      clients.flatMap((client) => [
        ...[1, 2, 3].map(() => client.listTemplates({})),
        ...[1, 2, 3].map(() => getVersion(client, version)),
      ]),
    );
    // All of them are answered before the lock is let go.
    await release("commit");
    expect(await getVersion(organization, present(locked).version)).toMatchObject({ revision: 2 });
    await until(async () => {
      await organization.listTemplates({});
      return (await countScheduled(organization)) === 0;
    });
    const published = (await readEvents(harness, organization.orgId)).flatMap(({ versionPublished: told }) =>
      told === undefined ? [] : [`${told.versionId} ${told.revision}`],
    );
    expect([published.length, new Set(published).size]).toEqual([306, 306]);
  });

  test("that fails is tried again now and then, and later ones come at their time", async () => {
    const organization = harness.organization();
    const failing = await createVersion(organization, (await createTemplate(organization)).id);
    await schedule(organization, failing, inMs(minute));
    await addCopies(failing, 150);
    await harness.superuser.query(`
      create sequence templates.attempts;
      grant usage on sequence templates.attempts to public;
      create function templates.fail() returns trigger language plpgsql as
        $$ begin perform nextval('templates.attempts'); raise 'no room'; end $$;
      create trigger fail before insert on templates.revision for each row
        when (new.organization_id = '${organization.orgId}') execute function templates.fail()`);
    const other = harness.organization();
    const { version } = await scheduled(other, inMs(minute + 1));
    harness.clock.advance(minute + 1);
    const workers = harness.service.workers?.filter(({ name }) => name === "templates-publisher") ?? [];
    const begun = performance.now();
    for (const worker of workers) await worker.start();
    await until(async () => (await toldOf(other)).length === 3);
    await delay(1_000);
    for (const worker of workers) await worker.stop();
    const polls = 1 + Math.floor((performance.now() - begun) / publisherPollMs);
    const { rows } = await harness.superuser.query("select last_value::integer as n from templates.attempts");
    // Each of them once a poll, and no more often.
    expect(rows[0]?.n).toBeGreaterThanOrEqual(151);
    expect(rows[0]?.n).toBeLessThanOrEqual(151 * polls);
    expect(await getVersion(other, version)).toMatchObject({ revision: 2 });
    await harness.superuser.query("drop trigger fail on templates.revision");
  });

  test("is gone with its template", async () => {
    const organization = harness.organization();
    const { template } = await scheduled(organization);
    const draft = await createVersion(organization, (await createTemplate(organization)).id);
    await schedule(organization, draft, inMs(minute));
    for (const templateId of [template.id, draft.templateId]) await organization.removeTemplate({ templateId });
    const { rows } = await harness.superuser.query(
      "select from templates.scheduled_publication where organization_id = $1",
      [organization.orgId],
    );
    expect(rows).toEqual([]);
    harness.clock.advance(2 * minute);
    expect((await organization.listTemplates({})).templates).toEqual([]);
  });

  test("comes at the same moment however its time was written, also where the clocks are changed", async () => {
    const organization = harness.organization();
    // An hour before and after Europe leaves summer time; both are 02:30 there.
    const times = [new Date("2027-10-31T02:30:00+02:00"), new Date("2027-10-31T02:30:00+01:00")];
    const both = await Promise.all(times.map((time) => scheduled(organization, time)));
    const apart = both.map(({ version }) => timestampDate(present(version.schedule?.publishAt)).getTime());
    expect((apart[1] ?? 0) - (apart[0] ?? 0)).toBe(60 * minute);
    const begun = harness.clock.now().getTime();
    harness.clock.advance((times[0]?.getTime() ?? 0) - begun);
    const revisions = () =>
      Promise.all(both.map(async ({ version }) => (await getVersion(organization, version)).revision));
    expect(await revisions()).toEqual([2, 1]);
    harness.clock.advance(60 * minute);
    expect(await revisions()).toEqual([2, 2]);
  });
});
