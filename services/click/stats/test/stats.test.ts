import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SessionOutcome } from "#gen/assent/click/v1/click_pb.ts";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { createNatsBus } from "#platform/events/nats.ts";
import { newId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { backUpSchema } from "#platform/testing/database.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { type RunningNats, startNats } from "../../../../dev/nats.ts";
import { describeWithNats } from "../../../../dev/test/describe-with-nats.ts";
import { consentActions } from "../../consent/test/consent-actions.ts";
import { renderActions } from "../../render/test/render-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { as, type ClickHarness, newOrg, startClick } from "../../test/harness.ts";
import { readStats, type StatFilter, settled, startWorkers } from "./stats-actions.ts";

let click: ClickHarness;
let stopWorkers: () => Promise<void>;
beforeAll(async () => {
  click = await startClick();
  stopWorkers = await startWorkers(click);
});
afterAll(async () => {
  await stopWorkers();
  await click.close();
});

const { addTemplate, create, accept, acceptTemplate, complete } = clientActions(() => click);
const { renderDeployment, renderSession } = renderActions(() => click);
const { update } = consentActions(() => click);

async function stats(template: FakeTemplate, filter: StatFilter = {}) {
  await settled(click, orgOf(template));
  return readStats(click, template, filter);
}

const today = () => click.clock.now().toISOString().slice(0, 10);

describe("getTemplateStats", () => {
  test("of a template that nothing has happened with", async () => {
    const template = addTemplate();
    click.templates.addVersion(template, { locale: "de", published: false });
    click.templates.addVersion(template, { locale: "fr", published: false, archived: true });
    click.templates.deploy(template);
    click.templates.deploy(template, { active: false });
    expect(await stats(template)).toEqual({
      templateId: template.templateId,
      from: null,
      to: null,
      sessions: { created: 0, presented: 0, accepted: 0, completed: 0, declined: 0, expired: 0, cancelled: 0 },
      acceptances: { total: 0, uniqueUsers: 0, direct: 0, withSession: 0, last24h: 0, last7d: 0, last30d: 0 },
      declines: 0,
      withdrawals: 0,
      renders: 0,
      rates: { acceptance: null, decline: null, abandonment: null },
      timeToAcceptMs: { p50: null, p90: null },
      byVersion: [],
      byLocale: [],
      byDay: [],
      byPurpose: [],
      usersOnLatest: 0,
      usersNeedingReacceptance: 0,
      activeDeployments: 1,
      versions: { total: 3, published: 1, archived: 1 },
      firstAcceptedAt: null,
      lastAcceptedAt: null,
    });
  });

  test("counts sessions by what became of them, and rates by those that have ended", async () => {
    const template = addTemplate({ policyFlags: { allowDecline: true } });
    const open = await create(template);
    await renderSession(template, open.id, { token: open.renderToken });
    const accepted = await create(template);
    await accept(template, { sessionId: accepted.id });
    await complete(template, accepted.id);
    await complete(template, (await create(template)).id, { acceptance: {} });
    await accept(template, { sessionId: (await create(template)).id, decision: "DECLINE" });
    await complete(template, (await create(template)).id, { outcome: SessionOutcome.DECLINED });
    await complete(template, (await create(template)).id);
    await click.client.cancelSession({ sessionId: (await create(template)).id }, as(orgOf(template)));
    await create(template, { ttlSeconds: 60 });
    await acceptTemplate(template, { decision: "DECLINE" });
    click.clock.advance(61);
    await until(async () => (await stats(template)).sessions.expired === 1);
    expect(await stats(template)).toMatchObject({
      sessions: { created: 8, presented: 1, accepted: 2, completed: 4, declined: 2, expired: 1, cancelled: 1 },
      acceptances: { total: 2, uniqueUsers: 1, direct: 0, withSession: 2 },
      declines: 3,
      rates: { acceptance: 2 / 7, decline: 2 / 7, abandonment: 3 / 7 },
    });
  });

  test("counts acceptances by version, locale, day and user, and filters them", async () => {
    const template = addTemplate();
    const english = template.versions[0]?.versionId ?? "";
    const german = click.templates.addVersion(template, { locale: "de" }).versionId;
    const first = (await acceptTemplate(template, { userRef: "ann" })).receipt;
    await acceptTemplate(template, { userRef: "bob", locale: "de" });
    const dayOne = today();
    click.clock.advance(2 * 86_400);
    const dayTwo = today();
    click.templates.revise(template, "<p>New terms.</p>");
    await acceptTemplate(template, { userRef: "ann" });
    const last = (await acceptTemplate(template, { userRef: "eve", locale: "de" })).receipt;
    const all = await stats(template);
    expect(all).toMatchObject({
      acceptances: { total: 4, uniqueUsers: 3, direct: 4, withSession: 0, last24h: 2, last7d: 4, last30d: 4 },
      byVersion: [
        { versionId: german, locale: "de", revision: 1, label: "1.0", acceptances: 2 },
        { versionId: english, locale: "en", revision: 2, label: "2.0", acceptances: 1 },
        { versionId: english, locale: "en", revision: 1, label: "1.0", acceptances: 1 },
      ],
      byLocale: [
        { locale: "de", acceptances: 2 },
        { locale: "en", acceptances: 2 },
      ],
      byDay: [
        { date: dayOne, acceptances: 2, declines: 0 },
        { date: dayTwo, acceptances: 2, declines: 0 },
      ],
      firstAcceptedAt: first.acceptedAt,
      lastAcceptedAt: last.acceptedAt,
    });
    const counts = async (filter: StatFilter) => {
      const { acceptances } = await stats(template, filter);
      return [acceptances.total, acceptances.uniqueUsers];
    };
    expect(await counts({ from: dayTwo })).toEqual([2, 2]);
    expect(await counts({ to: dayOne })).toEqual([2, 2]);
    expect(await counts({ from: dayOne, to: dayTwo })).toEqual([4, 3]);
    expect(await counts({ locale: "DE" })).toEqual([2, 2]);
    expect(await counts({ locale: "fr" })).toEqual([0, 0]);
    expect(await counts({ versionId: english.toUpperCase() })).toEqual([2, 1]);
    expect(await counts({ versionId: english, from: dayTwo })).toEqual([1, 1]);
    expect(await counts({ versionId: newId() })).toEqual([0, 0]);
    expect(await stats(template, { from: dayTwo, to: dayTwo })).toMatchObject({ from: dayTwo, to: dayTwo });
  });

  test("tells how long it took from the first display to the acceptance", async () => {
    const template = addTemplate();
    const deployment = click.templates.deploy(template);
    const session = await create(template);
    const { renderToken } = await renderDeployment(deployment);
    click.clock.advance(100);
    await renderSession(template, session.id, { token: session.renderToken });
    click.clock.advance(20);
    await accept(template, { sessionId: session.id });
    await acceptTemplate(template, { renderToken });
    await acceptTemplate(template);
    const { timeToAcceptMs } = await stats(template);
    expect(timeToAcceptMs.p50 / 20_000).toBeCloseTo(1, 1);
    expect(timeToAcceptMs.p90 / 120_000).toBeCloseTo(1, 1);
  });

  test("counts renderings of deployments and sessions, but not previews", async () => {
    const template = addTemplate();
    const deployment = click.templates.deploy(template);
    const { id } = await create(template);
    for (let n = 0; n < 3; n += 1) await renderDeployment(deployment);
    await renderSession(template, id);
    await renderActions(() => click).renderTemplate(template);
    await until(async () => (await stats(template)).renders === 4);
  });

  test("counts consent by purpose, however it was given and taken back", async () => {
    const purposes = ["ads", "news"].map((key) => ({ key, name: key, legalBasis: "CONSENT" }));
    const template = addTemplate({ type: TemplateType.CONSENT, typeConfig: { purposes } });
    const decide = (news: boolean, ads: boolean) => ({
      purposes: [
        { purpose: "news", granted: news },
        { purpose: "ads", granted: ads },
      ],
    });
    await acceptTemplate(template, { userRef: "ann", ...decide(true, false) });
    await acceptTemplate(template, { userRef: "bob", ...decide(true, true) });
    await update(orgOf(template), { news: "WITHDRAW" }, { userRef: "ann" });
    expect(await stats(template)).toMatchObject({
      withdrawals: 1,
      byPurpose: [
        { purpose: "ads", granted: 1, denied: 1, withdrawn: 0 },
        { purpose: "news", granted: 2, denied: 0, withdrawn: 1 },
      ],
    });
  });

  test("tells how many users hold the latest revision, and how many must accept anew", async () => {
    const template = addTemplate();
    const holders = async () => {
      const { usersOnLatest, usersNeedingReacceptance } = await stats(template);
      return [usersOnLatest, usersNeedingReacceptance];
    };
    for (const userRef of ["ann", "bob", "eve"]) await acceptTemplate(template, { userRef });
    expect(await holders()).toEqual([3, 0]);
    click.templates.revise(template, "<p>New terms.</p>");
    expect(await holders()).toEqual([0, 3]);
    await acceptTemplate(template, { userRef: "ann" });
    expect(await holders()).toEqual([1, 2]);
    template.policyFlags = { requireReacceptance: "NEVER" };
    expect(await holders()).toEqual([1, 0]);
    template.policyFlags = { requireReacceptance: "NEVER", reacceptIntervalDays: 30 };
    click.clock.advance(31 * 86_400);
    expect(await holders()).toEqual([1, 3]);
    await acceptTemplate(template, { userRef: "bob" });
    expect(await holders()).toEqual([2, 2]);
    template.archived = true;
    expect(await holders()).toEqual([0, 0]);
  });

  test("a session that is used again and again is accepted once", async () => {
    const template = addTemplate({ policyFlags: { singleUseSession: false } });
    const { id } = await create(template);
    for (let n = 0; n < 3; n += 1) await accept(template, { sessionId: id });
    expect(await stats(template)).toMatchObject({
      sessions: { accepted: 1 },
      acceptances: { total: 3, withSession: 3 },
      timeToAcceptMs: { p50: null },
    });
  });

  test("refuses bad filters, and templates that are unknown or of another organization", async () => {
    const template = addTemplate();
    const bad: [StatFilter, string][] = [
      [{ from: "yesterday" }, "from"],
      [{ to: "2026-02-30" }, "to"],
      [{ from: "2026-11-20T00:00:00Z" }, "from"],
      [{ from: "2026-11-02", to: "2026-11-01" }, "to"],
      [{ locale: "no locale" }, "locale"],
      [{ versionId: "v1" }, "versionId"],
    ];
    for (const [filter, field] of bad) {
      const error = await expectDomainError(readStats(click, template, filter), "CLICK_VALIDATION_FAILED");
      expect(error.details.map((detail) => detail.field)).toEqual([field]);
    }
    for (const templateId of [newId(), "nonsense", ""]) {
      await expectDomainError(readStats(click, { ...template, templateId }), "CLICK_TEMPLATE_NOT_FOUND");
    }
    await acceptTemplate(template);
    const foreign = readStats(click, { ...template, organizationId: newOrg() });
    await expectDomainError(foreign, "CLICK_TEMPLATE_NOT_FOUND");
  });
});

test("the activity of an organization is that of all its templates by the hour, from a moment on", async () => {
  const template = addTemplate({ policyFlags: { allowDecline: true } });
  const organizationId = orgOf(template);
  await acceptTemplate(template, { userRef: "early" });
  click.clock.advance(7_200);
  const since = timestampFromDate(click.clock.now());
  const beginning = Math.ceil(click.clock.now().getTime() / 3_600_000) * 3_600_000;
  click.clock.advance((beginning - click.clock.now().getTime()) / 1_000);
  await acceptTemplate(template, { userRef: "ann" });
  await acceptTemplate(template, { userRef: "bob", decision: "DECLINE" });
  click.clock.advance(3_600);
  await acceptTemplate(template, { userRef: "eve" });
  await settled(click, organizationId);
  const { hours } = await click.client.getActivity({ since }, as(organizationId));
  expect(hours.map(({ acceptances, declines }) => [acceptances, declines])).toEqual([
    [1n, 1n],
    [1n, 0n],
  ]);
  expect(hours[0]?.hour && timestampDate(hours[0].hour).getTime()).toBe(beginning);
  expect((await click.client.getActivity({ since }, as(newOrg()))).hours).toEqual([]);
  await expectDomainError(click.client.getActivity({}, as(organizationId)), "VALIDATION_FAILED");
});

describeWithNats("statistics beside a NATS that survived", () => {
  test("a restored database counts what it still has and had not counted yet, once", async () => {
    const folder = mkdtempSync(join(tmpdir(), "assent-test-stats-"));
    const nats = (await startNats({ storeDir: folder })) as RunningNats;
    const bus = createNatsBus({ url: nats.url, logger: createLogger("test", "silent") });
    const restored = await startClick(bus);
    const actions = clientActions(() => restored);
    const totals = async () => {
      await settled(restored, orgOf(template));
      const { acceptances, sessions } = await readStats(restored, template);
      return [acceptances.total, acceptances.uniqueUsers, sessions.created];
    };
    const isPublished = async (): Promise<boolean> => {
      const sql = "select from click.relay_cursor where position = (select max(position) from click.outbox)";
      return (await restored.superuser.query(sql)).rowCount === 1;
    };
    const template = actions.addTemplate();
    try {
      const relay = restored.service.workers.find(({ name }) => name === "relay click");
      await relay?.start();
      await actions.acceptTemplate(template, { userRef: "u-1" });
      await actions.create(template, { userRef: "u-2" });
      await until(isPublished);
      // First, so that the backup has no lease of its that others would have to wait for.
      await relay?.stop();
      const restore = await backUpSchema(restored.superuser, "click");
      const stopBefore = await startWorkers(restored);
      await actions.acceptTemplate(template, { userRef: "u-3" });
      expect(await totals()).toEqual([2, 2, 1]);
      await stopBefore();
      await restore();
      const stopAfter = await startWorkers(await restored.startAnother());
      expect(await totals()).toEqual([1, 1, 1]);
      await actions.acceptTemplate(template, { userRef: "u-4" });
      expect(await totals()).toEqual([2, 2, 1]);
      await stopAfter();
    } finally {
      await bus.close();
      await restored.close();
      await nats.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
