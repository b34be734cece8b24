import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { SessionOutcome } from "#gen/assent/click/v1/click_pb.ts";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { createMemoryBus } from "#platform/events/memory.ts";
import { until } from "#platform/testing/until.ts";
import { consentActions } from "../../consent/test/consent-actions.ts";
import { renderActions } from "../../render/test/render-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeDeployment } from "../../test/fake-deployments.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { as, type ClickHarness, rows, startClick } from "../../test/harness.ts";
import { readStats, type StatFilter, type Stats, settled, startWorkers } from "./stats-actions.ts";
import { type Records, readRecords, recount } from "./stats-recount.ts";

let click: ClickHarness;
let bus: EventBus;
let stopWorkers: () => Promise<void>;
beforeEach(async () => {
  // So much time passes between two events that none is known for a repetition.
  let now = 0;
  bus = createMemoryBus({
    now: () => {
      now += 130_000;
      return now;
    },
  });
  click = await startClick(bus);
  stopWorkers = await startWorkers(click, await click.startAnother());
});
afterEach(async () => {
  await stopWorkers();
  await bus.close();
  await click.close();
});

const { addTemplate, create, accept, acceptTemplate, complete } = clientActions(() => click);
const { renderDeployment, renderSession } = renderActions(() => click);
const { update } = consentActions(() => click);

/** mulberry32 */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function addTemplateOfManyLocales(): FakeTemplate {
  const purposes = ["ads", "news"].map((key) => ({ key, name: key, legalBasis: "CONSENT" }));
  const policyFlags = { allowDecline: true, sessionTtlSeconds: 600 };
  const template = addTemplate({ type: TemplateType.CONSENT, typeConfig: { purposes }, policyFlags });
  click.templates.addVersion(template, { locale: "de", content: "<p>Deutsch.</p>" });
  click.templates.addVersion(template, { locale: "fr", content: "<p>Français.</p>" });
  return template;
}

/** Something that a customer does; what is refused is refused. */
async function doSomething(template: FakeTemplate, deployment: FakeDeployment, random: () => number): Promise<void> {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const userRef = `user-${Math.floor(random() * 12)}`;
  const locale = pick(["en", "de", "fr"]);
  const decided = ["ads", "news"].map((purpose) => ({ purpose, granted: random() < 0.6 }));
  const body = { purposes: decided };
  const session = async () => {
    const made = await create(template, { userRef, locale });
    if (random() < 0.5) await renderSession(template, made.id, { token: made.renderToken });
    return made.id;
  };
  switch (
    pick(["direct", "rendered", "session", "complete", "decline", "close", "cancel", "leave", "reuse", "withdraw"])
  ) {
    case "direct":
      await acceptTemplate(template, { userRef, locale, ...(random() < 0.8 ? body : { decision: "DECLINE" }) });
      break;
    case "rendered": {
      const { renderToken } = await renderDeployment(deployment, { locale });
      await acceptTemplate(template, { userRef, renderToken, ...body });
      break;
    }
    case "session":
      await accept(template, { sessionId: await session(), ...body });
      break;
    case "complete": {
      const id = await session();
      await complete(template, id, { acceptance: body });
      await complete(template, id);
      break;
    }
    case "decline":
      if (random() < 0.5) await accept(template, { sessionId: await session(), decision: "DECLINE" });
      else await complete(template, await session(), { outcome: SessionOutcome.DECLINED });
      break;
    case "close":
      await complete(template, await session());
      break;
    case "cancel":
      await click.client.cancelSession({ sessionId: await session() }, as(orgOf(template)));
      break;
    case "leave":
      await session();
      break;
    case "reuse": {
      const id = await session();
      await Promise.allSettled([1, 2, 3].map(() => accept(template, { sessionId: id, ...body })));
      break;
    }
    case "withdraw":
      await update(orgOf(template), { [pick(["ads", "news"])]: "WITHDRAW" }, { userRef });
      break;
  }
}

async function doMuch(template: FakeTemplate, random: () => number): Promise<void> {
  const deployment = click.templates.deploy(template);
  for (let phase = 0; phase < 5; phase += 1) {
    template.policyFlags = { ...template.policyFlags, singleUseSession: phase % 2 === 0 };
    const doings = Array.from({ length: 40 }, () => doSomething(template, deployment, random));
    await Promise.all(doings);
    click.clock.advance(Math.floor(random() * 3 * 86_400));
    if (phase === 2) click.templates.revise(template, "<p>New terms.</p>");
  }
  click.clock.advance(601);
  await until(async () => {
    const open = await rows(
      click,
      "select from click.session where organization_id = $1 and status in ('PENDING', 'PRESENTED')",
      [orgOf(template)],
    );
    return open.length === 0;
  });
}

/** Publishes every event of the organization again, in another order. */
async function publishAgain(template: FakeTemplate, random: () => number): Promise<void> {
  const events = await rows<{ id: string; subject: string; data: string }>(
    click,
    "select event_id as id, subject, data from click.outbox where organization_id = $1",
    [orgOf(template)],
  );
  await bus.publish(
    events
      .map((event) => ({ event, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ event }) => event),
  );
}

/** The statistics in the form of the recount. */
const comparable = ({ byVersion, byLocale, byDay, byPurpose, ...stats }: Stats, shape: object) => ({
  ...Object.fromEntries(Object.entries(stats).filter(([name]) => name in shape)),
  byVersion: byKey(byVersion, (one) => `${one.versionId} ${one.revision} ${one.label}`),
  byLocale: byKey(byLocale, (one) => one.locale),
  byDay: byKey(byDay, (one) => one.date),
  byPurpose: Object.fromEntries(
    byPurpose.flatMap(({ purpose, granted, denied, withdrawn }: Stats) =>
      Object.entries({ GRANTED: granted, DENIED: denied, WITHDRAWN: withdrawn })
        .filter(([, count]) => count > 0)
        .map(([type, count]) => [`${purpose} ${type}`, count]),
    ),
  ),
});

const byKey = (list: Stats[], key: (one: Stats) => string): Record<string, number> =>
  Object.fromEntries(list.filter(({ acceptances }) => acceptances > 0).map((one) => [key(one), one.acceptances]));

function filtersFor({ acceptances }: Records): StatFilter[] {
  const days = [...new Set(acceptances.map(({ receipt }) => receipt.acceptedAt.slice(0, 10)))].sort();
  const [from = "", , middle = "", , to = ""] = days;
  const versionId = acceptances[0]?.receipt.versionId ?? "";
  return [
    {},
    { from: middle },
    { to: middle },
    { from, to: middle },
    { from: middle, to: middle },
    ...["en", "de", "fr", "it"].map((locale) => ({ locale })),
    { locale: "de", from: middle },
    { versionId },
    { versionId, from, to: middle },
    ...(to === "" ? [] : [{ from: middle, to, locale: "en" }]),
  ];
}

describe("the statistics", () => {
  test.each([20_261_120, 4_242])("are what the tables say after a random workload (seed %i)", async (seed) => {
    const random = randomFrom(seed);
    const [template, other] = [addTemplateOfManyLocales(), addTemplateOfManyLocales()];
    await Promise.all([
      doMuch(template, random),
      acceptTemplate(other, { purposes: [{ purpose: "ads", granted: true }] }),
    ]);
    await settled(click, orgOf(template));
    await publishAgain(template, random);
    await publishAgain(template, random);
    // What is counted after the repetitions tells that they have been handled.
    await acceptTemplate(template, { userRef: "last", purposes: [{ purpose: "ads", granted: true }] });
    await settled(click, orgOf(template));
    const records = await readRecords(click, template);
    expect(records.acceptances.length).toBeGreaterThan(60);
    for (const filter of filtersFor(records)) {
      const expected = recount(records, filter, click.clock.now());
      const counted = comparable(await readStats(click, template, filter), expected);
      expect({ seed, filter, ...counted }).toEqual({ seed, filter, ...expected });
    }
    const dead = await rows(click, "select * from click.dead_event");
    expect(dead).toEqual([]);
  });
});
