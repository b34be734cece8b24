import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AcceptanceFormat } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { fromConnectError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { consentActions } from "../../consent/test/consent-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { as, type ClickHarness, type ClickInstance, newOrg, rows, startClick } from "../../test/harness.ts";
import { nextOf, standingOf } from "../campaign.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, acceptTemplate, create, accept } = clientActions(() => click);
const { addConsent, update, acceptConsent } = consentActions(() => click);

const inDays = (days: number) => timestampFromDate(new Date(click.clock.now().getTime() + days * 86_400_000));

async function draft(template: FakeTemplate, userRefs: readonly string[], more: object = {}): Promise<string> {
  const options = as(orgOf(template));
  const wish = { name: "Terms 2027", templateId: template.templateId, dueAt: inDays(30), ...more };
  const { campaign } = await click.client.createCampaign(wish, options);
  const campaignId = campaign?.id ?? "";
  if (userRefs.length > 0) await click.client.addCampaignPeople({ campaignId, userRefs: [...userRefs] }, options);
  return campaignId;
}

const toDo = `select from click.campaign
  where status = 'RUNNING' and (unchecked > 0 or announced_at is null) or next_at <= $1`;

const campaignWorkers = (processes: readonly ClickInstance[]) =>
  (processes.length > 0 ? processes : [click]).flatMap(({ service }) =>
    service.workers.filter(({ name }) => name === "campaigns click"),
  );

/** Lets workers of these processes do all that there is to do. */
async function runCampaigns(...processes: readonly ClickInstance[]): Promise<void> {
  const workers = campaignWorkers(processes);
  // One more start shows that they came by, also where nothing else is to do.
  await click.superuser.query(
    `insert into click.campaign (organization_id, id, name, template_id, status, due_at, reminder_days, reminder_at,
       time_zone, request_hash, created_by, created_at, started_at)
     values ($1, $1, 'Last', $1, 'RUNNING', '2100-01-01', '{}', '09:00', 'UTC', '', 'cl_test', now(), now())`,
    [newId()],
  );
  for (const worker of workers) await worker.start();
  await until(async () => (await rows(click, toDo, [click.clock.now().toISOString()])).length === 0);
  await Promise.all(workers.map((worker) => worker.stop()));
}

async function start(template: FakeTemplate, campaignId: string): Promise<void> {
  await click.client.startCampaign({ campaignId }, as(orgOf(template)));
  await runCampaigns();
}

const countsOf = async (template: FakeTemplate, campaignId: string) => {
  const { campaign } = await click.client.getCampaign({ campaignId }, as(orgOf(template)));
  const { $typeName: _, ...counts } = campaign?.counts ?? { $typeName: "" };
  return counts as Record<string, number>;
};
const peopleOf = async (template: FakeTemplate, campaignId: string, state = "") => {
  const { people } = await click.client.listCampaignPeople({ campaignId, state }, as(orgOf(template)));
  return Object.fromEntries(people.map((one) => [one.userRef, one.state]).sort());
};
const eventsOf = async (template: FakeTemplate) =>
  (
    await rows<{ subject: string }>(
      click,
      "select subject from click.outbox where organization_id = $1 and subject like 'assent.click.campaign.%' order by position",
      [orgOf(template)],
    )
  ).map(({ subject }) => subject.replace("assent.click.campaign.", ""));

const uncounted = `select from click.outbox o where o.organization_id = $1
  and o.subject ~ '^assent.click.(acceptance.recorded|consent)' and not exists (
    select from click.inbox i where i.consumer = 'click-statistics' and i.event_id = o.event_id)`;

/** Has the events of what was recorded applied, as they come from the bus. */
async function applyEvents(template: FakeTemplate, twice = false): Promise<void> {
  const named = ["relay click", "consumer click-statistics"];
  const workers = click.service.workers.filter(({ name }) => named.includes(name));
  expect(workers).toHaveLength(2);
  for (const worker of workers) await worker.start();
  await until(async () => (await rows(click, uncounted, [orgOf(template)])).length === 0);
  for (const worker of workers) await worker.stop();
  if (twice) await applyEvents(template);
}

describe("a campaign", () => {
  test("asks those who have not accepted what is live, and follows what they do", async () => {
    const template = addTemplate({ policyFlags: { allowDecline: true } });
    await acceptTemplate(template, { userRef: "early" });
    const campaignId = await draft(template, ["early", "a", "b", "c", "a"]);
    expect(await countsOf(template, campaignId)).toMatchObject({ people: 4, unchecked: 4, outstanding: 0 });
    expect(await peopleOf(template, campaignId, "OUTSTANDING")).toEqual({});
    await start(template, campaignId);
    expect(await peopleOf(template, campaignId)).toEqual({ early: "ACCEPTED", a: "ASKED", b: "ASKED", c: "ASKED" });
    await acceptTemplate(template, { userRef: "a" });
    await acceptTemplate(template, { userRef: "b", decision: "DECLINE" });
    await acceptTemplate(template, { userRef: "nobody's" });
    await applyEvents(template);
    expect(await peopleOf(template, campaignId)).toEqual({
      early: "ACCEPTED",
      a: "ACCEPTED",
      b: "DECLINED",
      c: "ASKED",
    });
    expect(await countsOf(template, campaignId)).toMatchObject({
      ...{ people: 4, unchecked: 0, asked: 1, accepted: 2, declined: 1, withdrawn: 0, outstanding: 2, erased: 0 },
    });
    expect(await eventsOf(template)).toEqual(["started"]);
    const { people } = await click.client.listCampaignPeople({ campaignId, userRef: "b" }, as(orgOf(template)));
    expect(people).toHaveLength(1);
    expect(people[0]?.receiptId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("does not count who accepts an earlier text, and counts who accepts a later one", async () => {
    const template = addTemplate();
    await acceptTemplate(template, { userRef: "a" });
    const pinned = await create(template, { userRef: "b" });
    click.templates.revise(template, "<p>Second.</p>");
    const campaignId = await draft(template, ["a", "b", "c"]);
    await start(template, campaignId);
    expect(await peopleOf(template, campaignId)).toEqual({ a: "ASKED", b: "ASKED", c: "ASKED" });
    template.policyFlags = { requireReacceptance: "NEVER" };
    await accept(template, { sessionId: pinned.id });
    click.templates.revise(template, "<p>Third.</p>");
    await acceptTemplate(template, { userRef: "c" });
    await applyEvents(template);
    expect(await peopleOf(template, campaignId)).toEqual({ a: "ASKED", b: "ASKED", c: "ACCEPTED" });
  });

  test("that names a revision counts that one and later ones of its version alone", async () => {
    const template = addTemplate();
    const versionId = template.versions[0]?.versionId ?? "";
    const options = as(orgOf(template));
    click.templates.revise(template, "<p>Second.</p>");
    const campaignId = await draft(template, ["a"], { versionId });
    const wrong = { name: "x", templateId: template.templateId, dueAt: inDays(1) };
    await expectDomainError(
      click.client.createCampaign({ ...wrong, versionId, revision: 3 }, options),
      "CLICK_VERSION_NOT_FOUND",
    );
    await expectDomainError(
      click.client.createCampaign({ ...wrong, versionId: newId() }, options),
      "CLICK_VERSION_NOT_FOUND",
    );
    await expectDomainError(click.client.createCampaign({ ...wrong, revision: 1 }, options), "CLICK_VALIDATION_FAILED");
    await start(template, campaignId);
    const { campaign } = await click.client.getCampaign({ campaignId }, options);
    expect(campaign).toMatchObject({ versionId, revision: 2, status: "RUNNING" });
    await acceptTemplate(template, { userRef: "a" });
    await applyEvents(template);
    expect(await peopleOf(template, campaignId)).toEqual({ a: "ACCEPTED" });
  });

  test("sees consent that is withdrawn, and granted anew", async () => {
    const template = addConsent(["news"]);
    const campaignId = await draft(template, ["user-1"]);
    await start(template, campaignId);
    await acceptConsent(template, { news: true });
    await applyEvents(template);
    expect(await peopleOf(template, campaignId)).toEqual({ "user-1": "ACCEPTED" });
    await update(orgOf(template), { news: "WITHDRAW" });
    await applyEvents(template);
    expect(await peopleOf(template, campaignId)).toEqual({ "user-1": "WITHDRAWN" });
    expect(await countsOf(template, campaignId)).toMatchObject({ accepted: 0, withdrawn: 1, outstanding: 1 });
    await update(orgOf(template), { news: "GRANT" });
    await applyEvents(template);
    expect(await countsOf(template, campaignId)).toMatchObject({ accepted: 1, withdrawn: 0 });
  });

  test("counts everybody once when people are added, looked at and accept at the same moment, in two processes", async () => {
    const template = addTemplate();
    const other = await click.startAnother();
    const refs = Array.from({ length: 120 }, (_, index) => `user-${index}`);
    const campaignId = await draft(template, refs.slice(0, 30));
    await click.client.startCampaign({ campaignId }, as(orgOf(template)));
    const consumers = [click, other].flatMap(({ service }) =>
      service.workers.filter(({ name }) =>
        ["relay click", "consumer click-statistics", "campaigns click"].includes(name),
      ),
    );
    for (const worker of consumers) await worker.start();
    await Promise.all([
      ...refs.filter((_, index) => index % 2 === 0).map((userRef) => acceptTemplate(template, { userRef })),
      ...[0, 1, 2, 3].map((part) =>
        [click, other][part % 2]?.client.addCampaignPeople(
          { campaignId, userRefs: refs.slice(part * 30, part * 30 + 40) },
          as(orgOf(template)),
        ),
      ),
    ]);
    await until(async () => {
      const { unchecked, accepted, people } = await countsOf(template, campaignId);
      return unchecked === 0 && people === 120 && accepted === 60;
    });
    for (const worker of consumers) await worker.stop();
    const states = Object.values(await peopleOf(template, campaignId));
    expect(states.filter((state) => state === "ACCEPTED")).toHaveLength(60);
    expect(await countsOf(template, campaignId)).toMatchObject({ people: 120, asked: 60, outstanding: 60 });
    expect(await eventsOf(template)).toEqual(["started"]);
  });

  test("counts what its people are, however accepts, reminders, erasures, a later date and its end race", async () => {
    const other = await click.startAnother();
    const names = ["relay click", "consumer click-statistics", "campaigns click"];
    const workers = [click, other].flatMap(({ service }) => service.workers.filter(({ name }) => names.includes(name)));
    for (const worker of workers) await worker.start();
    for (let round = 0; round < 8; round += 1) {
      const template = addTemplate({ policyFlags: { allowDecline: true } });
      const options = as(orgOf(template));
      const refs = Array.from({ length: 12 }, (_, index) => `user-${index}`);
      const campaignId = await draft(template, refs, { reminders: { daysBefore: [1], at: "", timeZone: "" } });
      await click.client.startCampaign({ campaignId }, options);
      const due =
        "update click.campaign set next_at = now() - interval '1 second' where id = $1 and status = 'RUNNING'";
      await Promise.all([
        ...refs.slice(0, 8).map((userRef) => acceptTemplate(template, { userRef })),
        ...refs.slice(8, 10).map((userRef) => acceptTemplate(template, { userRef, decision: "DECLINE" })),
        click.superuser.query(due, [campaignId]),
        ...refs.slice(6, 9).map((userRef) => other.client.eraseUser({ userRef }, options)),
        // Whoever comes after the end is refused.
        other.client.updateCampaign({ campaignId, dueAt: inDays(40) }, options).catch((error: unknown) => {
          expect(fromConnectError(error)?.code).toBe("CLICK_CAMPAIGN_CLOSED");
        }),
        ...(round % 2 === 0 ? [click.client.cancelCampaign({ campaignId }, options)] : []),
      ]);
      await until(async () => (await rows(click, uncounted, [orgOf(template)])).length === 0);
      const counted = await rows(
        click,
        `select c.people = count(p.state) and c.unchecked = count(*) filter (where p.state = 'LISTED')
           and c.accepted = count(*) filter (where p.state = 'ACCEPTED')
           and c.declined = count(*) filter (where p.state = 'DECLINED') and c.people + c.erased = 12 as "isRight"
         from click.campaign c left join click.campaign_person p on p.campaign_id = c.id where c.id = $1
         group by c.organization_id, c.id`,
        [campaignId],
      );
      expect(counted).toEqual([{ isRight: true }]);
      const events = await eventsOf(template);
      expect(new Set(events).size).toBe(events.length);
      if (round % 2 === 0) continue;
      await until(async () => (await countsOf(template, campaignId)).accepted === 6);
    }
    for (const worker of workers) await worker.stop();
  });

  test("counts as before when events come again, and frozen once it is cancelled", async () => {
    const template = addTemplate();
    const campaignId = await draft(template, ["a", "b"]);
    await start(template, campaignId);
    await acceptTemplate(template, { userRef: "a" });
    await applyEvents(template, true);
    const options = as(orgOf(template));
    const { campaign } = await click.client.cancelCampaign({ campaignId }, options);
    expect(campaign).toMatchObject({ status: "CANCELLED", counts: { accepted: 1, asked: 1 } });
    expect((await click.client.cancelCampaign({ campaignId }, options)).campaign?.endedAt).toEqual(campaign?.endedAt);
    await acceptTemplate(template, { userRef: "b" });
    await applyEvents(template);
    expect(await countsOf(template, campaignId)).toMatchObject({ accepted: 1, asked: 1 });
    for (const refused of [
      click.client.addCampaignPeople({ campaignId, userRefs: ["c"] }, options),
      click.client.updateCampaign({ campaignId, dueAt: inDays(60) }, options),
      click.client.startCampaign({ campaignId }, options),
    ]) {
      await expectDomainError(refused, "CLICK_CAMPAIGN_CLOSED");
    }
    expect(await eventsOf(template)).toEqual(["started", "cancelled"]);
  });
});

describe("reminders", () => {
  const reminders = { daysBefore: [3, 1], at: "09:00", timeZone: "Europe/Berlin" };

  test("come once each, whichever process comes by, and end with the date", async () => {
    const template = addTemplate();
    const other = await click.startAnother();
    const campaignId = await draft(template, ["a", "b"], { reminders, dueAt: inDays(10) });
    await start(template, campaignId);
    await runCampaigns(click, other);
    expect(await eventsOf(template)).toEqual(["started"]);
    click.clock.advance(8 * 86_400);
    await runCampaigns(click, other);
    expect(await eventsOf(template)).toEqual(["started", "reminder"]);
    await acceptTemplate(template, { userRef: "a" });
    await applyEvents(template);
    click.clock.advance(3 * 86_400);
    await runCampaigns(click, other);
    await runCampaigns(click, other);
    expect(await eventsOf(template)).toEqual(["started", "reminder", "ended"]);
    expect(await peopleOf(template, campaignId)).toEqual({ a: "ACCEPTED", b: "OVERDUE" });
    expect(await peopleOf(template, campaignId, "OVERDUE")).toEqual({ b: "OVERDUE" });
    expect(await peopleOf(template, campaignId, "ASKED")).toEqual({});
    // Who is late is counted, and a later date lets the campaign go on.
    await acceptTemplate(template, { userRef: "b" });
    await applyEvents(template);
    expect(await countsOf(template, campaignId)).toMatchObject({ accepted: 2, outstanding: 0 });
    const options = as(orgOf(template));
    const { campaign } = await click.client.updateCampaign({ campaignId, dueAt: inDays(20) }, options);
    expect(campaign).toMatchObject({ status: "RUNNING", remindersSent: 1 });
    expect(campaign?.endedAt).toBeUndefined();
    expect(campaign?.nextReminderAt).toBeDefined();
    // Nobody is outstanding: there is nothing to be reminded of.
    click.clock.advance(18 * 86_400);
    await runCampaigns();
    expect(await eventsOf(template)).toEqual(["started", "reminder", "ended"]);
  });

  test("come at the time that clocks show, through both changes of summer time", () => {
    const rule = { reminderDays: [1, 0], timeZone: "Europe/Berlin" };
    // Clocks go from 02:00 to 03:00 on 28 March 2027, and from 03:00 to 02:00 on 31 October 2027.
    const spring = { ...rule, dueAt: new Date("2027-03-28T20:00:00Z"), reminderAt: "02:30" };
    const [first, second] = [nextOf(spring, new Date("2027-03-01T00:00:00Z")), new Date("2027-03-28T01:30:00Z")];
    expect([first, nextOf(spring, first), nextOf(spring, second)]).toEqual([
      new Date("2027-03-27T01:30:00Z"),
      second,
      spring.dueAt,
    ]);
    const autumn = { ...rule, dueAt: new Date("2027-10-31T20:00:00Z"), reminderAt: "02:30" };
    const shown = nextOf(autumn, new Date("2027-10-30T12:00:00Z"));
    expect([shown, nextOf(autumn, shown)]).toEqual([new Date("2027-10-31T00:30:00Z"), autumn.dueAt]);
  });

  test("are not sent again when the clock goes back", async () => {
    const template = addTemplate();
    const campaignId = await draft(template, ["a"], { reminders, dueAt: inDays(10) });
    await start(template, campaignId);
    click.clock.advance(8 * 86_400);
    await runCampaigns();
    click.clock.advance(-86_400);
    await runCampaigns();
    expect(await eventsOf(template)).toEqual(["started", "reminder"]);
    click.clock.advance(86_400);
  });
});

describe("the people of a campaign", () => {
  test("are forgotten with a person, and 90 days after the end unless a legal hold was ever set", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const campaignId = await draft(template, ["a", "b", "gone"], { dueAt: inDays(2) });
    await start(template, campaignId);
    await acceptTemplate(template, { userRef: "b" });
    await applyEvents(template);
    const person = { email: "", userRef: "gone" };
    const { items } = await click.people.findPerson({ person }, as(orgId));
    expect(items).toMatchObject([{ kind: "click.campaign", targetId: campaignId }]);
    const erasure = { person, erasureId: newId(), ground: "GDPR_17", holdMark: 0 };
    const kept = await click.people.erasePerson({ ...erasure, isHeld: true }, as(orgId));
    expect(kept.items).toMatchObject([{ kind: "click.campaign", keptBecause: "LEGAL_HOLD" }]);
    const erased = await click.people.erasePerson(erasure, as(orgId));
    expect(erased.items).toMatchObject([{ kind: "click.campaign", targetId: campaignId }]);
    expect((await click.people.erasePerson(erasure, as(orgId))).items).toEqual(erased.items);
    expect(await countsOf(template, campaignId)).toMatchObject({ people: 2, asked: 1, accepted: 1, erased: 1 });
    const { erasureJson } = await click.client.eraseUser({ userRef: "b", reason: "" }, as(orgId));
    expect(JSON.parse(erasureJson).erased.campaigns).toEqual([campaignId]);
    expect(await peopleOf(template, campaignId)).toEqual({ a: "ASKED" });
    click.clock.advance(3 * 86_400);
    await runCampaigns();
    await click.superuser.query(
      "insert into click.hold_mark (organization_id, mark) values ($1, 1) on conflict do nothing",
      [orgId],
    );
    click.clock.advance(91 * 86_400);
    await runCampaigns();
    expect(await peopleOf(template, campaignId)).toEqual({ a: "OVERDUE" });
    await click.superuser.query("delete from click.hold_mark where organization_id = $1", [orgId]);
    click.clock.advance(2 * 86_400);
    await runCampaigns();
    expect(await peopleOf(template, campaignId)).toEqual({});
    expect(await countsOf(template, campaignId)).toMatchObject({ people: 1, asked: 1, erased: 2 });
    await expectDomainError(
      click.client.updateCampaign({ campaignId, dueAt: inDays(5) }, as(orgId)),
      "CLICK_CAMPAIGN_CLOSED",
    );
  });

  test("are taken out one by one with their numbers, once each, until a campaign is cancelled", async () => {
    const template = addTemplate();
    const options = as(orgOf(template));
    const campaignId = await draft(template, ["a", "b", "c", "d"]);
    const remove = (userRef: string) => click.client.removeCampaignPerson({ campaignId, userRef }, options);
    await remove("d");
    expect(await countsOf(template, campaignId)).toMatchObject({ people: 3, unchecked: 3, erased: 0 });
    await start(template, campaignId);
    await acceptTemplate(template, { userRef: "b" });
    await applyEvents(template);
    // At once with what they do, and with each other.
    await Promise.all([remove("b"), remove("b"), remove("nobody"), acceptTemplate(template, { userRef: "c" })]);
    await applyEvents(template);
    expect(await peopleOf(template, campaignId)).toEqual({ a: "ASKED", c: "ACCEPTED" });
    const counts = { people: 2, unchecked: 0, asked: 1, accepted: 1, outstanding: 1 };
    expect(await countsOf(template, campaignId)).toMatchObject(counts);
    const told = await rows<{ data: string }>(
      click,
      "select data from click.outbox where organization_id = $1 and subject like 'assent.audit.%' and data like '%people-removed%'",
      [orgOf(template)],
    );
    expect(told).toHaveLength(2);
    // Whoever is added again is looked at again.
    await click.client.addCampaignPeople({ campaignId, userRefs: ["b"] }, options);
    await runCampaigns();
    expect(await countsOf(template, campaignId)).toMatchObject({ people: 3, accepted: 2 });
    await click.client.cancelCampaign({ campaignId }, options);
    await expectDomainError(remove("a"), "CLICK_CAMPAIGN_CLOSED");
  });

  test("are exported while they are outstanding, with cells that no spreadsheet runs", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const campaignId = await draft(template, ["=1+1", "b", "done"]);
    await start(template, campaignId);
    await acceptTemplate(template, { userRef: "done" });
    await applyEvents(template);
    const exported = async (format: AcceptanceFormat, org = orgId) => {
      const { files } = await click.people.exportOrganization({ acceptances: { format, campaignId } }, as(org));
      return Buffer.concat(files.map(({ content }) => content)).toString("utf8");
    };
    const csv = await exported(AcceptanceFormat.CSV);
    expect(csv.split("\r\n").sort()).toEqual(expect.arrayContaining(['"\'=1+1","ASKED","",""', '"b","ASKED","",""']));
    expect(csv).not.toContain("done");
    const lines = (await exported(AcceptanceFormat.JSONL)).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).userRef).sort()).toEqual(["=1+1", "b"]);
    expect(await exported(AcceptanceFormat.JSONL, newOrg())).toBe("");
  });

  test("of a draft go with it, and a campaign of another organization is unknown", async () => {
    const template = addTemplate();
    const options = as(orgOf(template));
    const campaignId = await draft(template, ["a"]);
    for (const call of [
      (own: typeof options) => click.client.getCampaign({ campaignId }, own),
      (own: typeof options) => click.client.listCampaignPeople({ campaignId }, own),
      (own: typeof options) => click.client.addCampaignPeople({ campaignId, userRefs: ["b"] }, own),
      (own: typeof options) => click.client.updateCampaign({ campaignId, name: "Mine" }, own),
      (own: typeof options) => click.client.removeCampaignPerson({ campaignId, userRef: "a" }, own),
      (own: typeof options) => click.client.startCampaign({ campaignId }, own),
      (own: typeof options) => click.client.cancelCampaign({ campaignId }, own),
      (own: typeof options) => click.client.deleteCampaign({ campaignId }, own),
    ]) {
      await expectDomainError(call(as(newOrg())), "CLICK_CAMPAIGN_NOT_FOUND");
    }
    await click.client.deleteCampaign({ campaignId }, options);
    await expectDomainError(click.client.getCampaign({ campaignId }, options), "CLICK_CAMPAIGN_NOT_FOUND");
    expect((await click.client.listCampaigns({}, options)).campaigns).toEqual([]);
    await runCampaigns();
    expect(await rows(click, "select from click.campaign where id = $1", [campaignId])).toEqual([]);
    const running = await draft(template, ["a"]);
    await start(template, running);
    await expectDomainError(click.client.deleteCampaign({ campaignId: running }, options), "CLICK_CAMPAIGN_STARTED");
  });
});

test("a campaign is drafted once with one key, and refuses what makes no sense", async () => {
  const template = addTemplate();
  const options = as(orgOf(template));
  const wish = { name: "Terms", templateId: template.templateId, dueAt: inDays(3), idempotencyKey: "one" };
  const made = await Promise.all([wish, wish].map((one) => click.client.createCampaign(one, options)));
  expect(made[0]?.campaign?.id).toBe(made[1]?.campaign?.id);
  await expectDomainError(
    click.client.createCampaign({ ...wish, name: "Other" }, options),
    "CLICK_IDEMPOTENCY_KEY_REUSED",
  );
  await expectDomainError(
    click.client.createCampaign({ ...wish, idempotencyKey: "two", templateId: newId() }, options),
    "CLICK_TEMPLATE_NOT_FOUND",
  );
  const bad = { ...wish, idempotencyKey: "" };
  await expectDomainError(
    click.client.createCampaign({ ...bad, dueAt: inDays(-1) }, options),
    "CLICK_VALIDATION_FAILED",
  );
  const zone = { daysBefore: [], at: "", timeZone: "Mars/Base" };
  await expectDomainError(click.client.createCampaign({ ...bad, reminders: zone }, options), "CLICK_VALIDATION_FAILED");
  const campaignId = made[0]?.campaign?.id ?? "";
  await expectDomainError(click.client.startCampaign({ campaignId }, options), "CLICK_CAMPAIGN_EMPTY");
  const control = { campaignId, userRefs: ["a\u0000"] };
  await expectDomainError(click.client.addCampaignPeople(control, options), "VALIDATION_FAILED");
  const blank = { campaignId, userRefs: ["a", "  "] };
  await expectDomainError(click.client.addCampaignPeople(blank, options), "VALIDATION_FAILED");
  await expectDomainError(
    click.client.listCampaignPeople({ campaignId, cursor: "zz" }, options),
    "CLICK_VALIDATION_FAILED",
  );
});

test("a draft is answered again by its key when its date has passed and its template is gone, until it is deleted", async () => {
  const template = addTemplate();
  const options = as(orgOf(template));
  const wish = { name: "Terms", templateId: template.templateId, dueAt: inDays(1), idempotencyKey: "one" };
  const { campaign } = await click.client.createCampaign(wish, options);
  click.clock.advance(2 * 86_400);
  click.templates.remove(template);
  expect((await click.client.createCampaign(wish, options)).campaign).toEqual(campaign);
  await click.client.deleteCampaign({ campaignId: campaign?.id ?? "" }, options);
  await expectDomainError(click.client.createCampaign(wish, options), "CLICK_CAMPAIGN_NOT_FOUND");
});

test("a campaign that is full takes nobody else, and has whom it has", async () => {
  const template = addTemplate();
  const options = as(orgOf(template));
  const campaignId = await draft(template, ["a"]);
  await click.superuser.query("update click.campaign set people = 1000000 where id = $1", [campaignId]);
  await expectDomainError(
    click.client.addCampaignPeople({ campaignId, userRefs: ["a", "b"] }, options),
    "CLICK_CAMPAIGN_FULL",
  );
  expect(await peopleOf(template, campaignId)).toEqual({ a: "LISTED" });
  expect((await click.client.addCampaignPeople({ campaignId, userRefs: ["a"] }, options)).added).toBe(0);
});

test("one that has ended keeps its end when it is cancelled, and is opened again only among 200", async () => {
  const template = addTemplate();
  const options = as(orgOf(template));
  const campaignId = await draft(template, ["a"], { dueAt: inDays(1) });
  const reopened = await draft(template, ["a"], { dueAt: inDays(1) });
  for (const id of [campaignId, reopened]) await start(template, id);
  click.clock.advance(2 * 86_400);
  await runCampaigns();
  const { campaign: ended } = await click.client.getCampaign({ campaignId }, options);
  click.clock.advance(86_400);
  const { campaign: cancelled } = await click.client.cancelCampaign({ campaignId }, options);
  expect(cancelled).toEqual({ ...ended, status: "CANCELLED" });
  const filled = `insert into click.campaign (organization_id, id, name, template_id, due_at, reminder_days, reminder_at,
      time_zone, request_hash, created_by, created_at)
    select organization_id, gen_random_uuid(), 'Other', template_id, due_at, '{}', '09:00', 'UTC', '', 'cl_test', now()
    from click.campaign, generate_series(1, 200) where id = $1`;
  await click.superuser.query(filled, [campaignId]);
  const later = { campaignId: reopened, dueAt: inDays(5) };
  await expectDomainError(click.client.updateCampaign(later, options), "CLICK_TOO_MANY_CAMPAIGNS");
  const { campaigns } = await click.client.listCampaigns({}, options);
  const other = campaigns.find(({ status }) => status === "DRAFT");
  await click.client.deleteCampaign({ campaignId: other?.id ?? "" }, options);
  expect((await click.client.updateCampaign(later, options)).campaign?.status).toBe("RUNNING");
});

describe("the worker", () => {
  const reminders = { daysBefore: [3], at: "09:00", timeZone: "UTC" };
  const nextOfCampaign = async (campaignId: string) =>
    (await rows<{ next: Date }>(click, 'select next_at as "next" from click.campaign where id = $1', [campaignId]))[0]
      ?.next;

  /** One whose people are due to be deleted, and another one that is to be reminded later. */
  async function twoDue() {
    const [over, running] = [addTemplate(), addTemplate()];
    const overId = await draft(over, ["a"], { dueAt: inDays(1) });
    await start(over, overId);
    await click.client.cancelCampaign({ campaignId: overId }, as(orgOf(over)));
    click.clock.advance(80 * 86_400);
    const runningId = await draft(running, ["a"], { dueAt: inDays(20), reminders });
    await start(running, runningId);
    click.clock.advance(18 * 86_400);
    return { over, overId, running };
  }

  test("reminds while the templates service, which deletions need, is away", async () => {
    const { over, overId, running } = await twoDue();
    click.templates.fail(Code.Unavailable);
    await runCampaigns();
    expect(await eventsOf(running)).toEqual(["started", "reminder"]);
    expect(await peopleOf(over, overId)).toEqual({ a: "OVERDUE" });
    click.templates.fail(undefined);
    click.clock.advance(3_600);
    await runCampaigns();
    expect(await peopleOf(over, overId)).toEqual({});
  });

  test("reminds, and puts deletions off, while nothing may be deleted by time alone", async () => {
    const { over, overId, running } = await twoDue();
    const organizationId = newId();
    await click.superuser.query(
      `insert into click.log_epoch (organization_id, epoch, first_index, tree_size, missing_from, former_epoch,
         former_size, former_note, opened_at) values ($1, 2, 0, 0, 0, 1, 1, '', now())`,
      [organizationId],
    );
    await runCampaigns();
    expect(await eventsOf(running)).toEqual(["started", "reminder"]);
    expect(await peopleOf(over, overId)).toEqual({ a: "OVERDUE" });
    expect((await nextOfCampaign(overId))?.getTime()).toBeGreaterThan(click.clock.now().getTime());
    await click.superuser.query("delete from click.log_epoch where organization_id = $1", [organizationId]);
    click.clock.advance(3_600);
    await runCampaigns();
    expect(await peopleOf(over, overId)).toEqual({});
  });

  test("looks at a large start and a small one in turn, tells of a start before it reminds, and stops", async () => {
    const large = click.templates.add("00000000-0000-4000-8000-000000000001");
    const small = addTemplate();
    const refs = Array.from({ length: 450 }, (_, index) => `user-${index}`);
    const largeId = await draft(large, refs);
    const smallId = await draft(small, ["a"], { reminders });
    await click.client.startCampaign({ campaignId: largeId }, as(orgOf(large)));
    await click.client.startCampaign({ campaignId: smallId }, as(orgOf(small)));
    await click.superuser.query("update click.campaign set next_at = created_at where id = $1", [smallId]);
    for (const worker of campaignWorkers([])) {
      await worker.start();
      await worker.stop();
    }
    expect(await countsOf(large, largeId)).toMatchObject({ unchecked: 450 });
    await runCampaigns();
    expect(await countsOf(large, largeId)).toMatchObject({ unchecked: 0, asked: 450 });
    const told = await rows<{ orgId: string; subject: string }>(
      click,
      `select organization_id as "orgId", subject from click.outbox where organization_id in ($1, $2)
         and subject ~ 'campaign.(started|reminder)$' order by position`,
      [orgOf(large), orgOf(small)],
    );
    expect(told.map(({ orgId, subject }) => [orgId, subject.replace("assent.click.campaign.", "")])).toEqual([
      [orgOf(small), "started"],
      [orgOf(small), "reminder"],
      [orgOf(large), "started"],
    ]);
  });
});

test("a decision on a version that was live later counts only while it was", () => {
  const campaign = { versionId: null, targets: [{ versionId: "v1", revision: 2 }], startedAt: new Date(1_000) };
  const last = {
    ...{ templateId: "t", templateSlug: "t", versionId: "v2", revision: 1, label: "1.0", locale: "en" },
    ...{ decision: "ACCEPT" as const, acceptedAt: new Date(2_000), receiptId: "r", purposes: [], superseded: false },
  } as const;
  const stateOf = (change: object, from = campaign) => standingOf(from, { ...last, ...change }, new Map()).state;
  expect(stateOf({})).toBe("ACCEPTED");
  expect(stateOf({ superseded: true })).toBe("ASKED");
  expect(stateOf({ acceptedAt: new Date(999) })).toBe("ASKED");
  expect(stateOf({ versionId: "v1" })).toBe("ASKED");
  expect(stateOf({ versionId: "v1", revision: 2, acceptedAt: new Date(0), superseded: true })).toBe("ACCEPTED");
  expect(stateOf({}, { ...campaign, versionId: "v1" as never })).toBe("ASKED");
});
