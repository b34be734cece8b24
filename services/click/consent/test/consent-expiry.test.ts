import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { type ClickHarness, type ClickInstance, rows, startClick } from "../../test/harness.ts";
import { sweepNow } from "../../test/sweeping.ts";
import { consentActions, isoOf, purposeOf } from "./consent-actions.ts";
import { userKeyOf } from "./consent-checks.ts";

let click: ClickHarness;
let other: ClickInstance;
beforeAll(async () => {
  click = await startClick();
  other = await click.startAnother();
});
afterAll(() => click.close());

const { addConsent, read, update, acceptConsent } = consentActions(() => click);
const day = 86_400;

const expiredEvents = async (template: FakeTemplate) => {
  const found = await rows<{ data: string }>(
    click,
    "select data from click.outbox where organization_id = $1 and subject = 'assent.click.consent.expired' order by position",
    [template.organizationId],
  );
  return found.map(({ data }) => JSON.parse(data));
};

const addShort = () => addConsent([{ key: "news", expiresAfterDays: 1 }, { key: "ads", expiresAfterDays: 3 }, "calls"]);
const everything = { news: true, ads: true, calls: true };

describe("a grant that runs out", () => {
  test("is expired for every reader the moment it ends, whether the sweeper has come by or not", async () => {
    const template = addShort();
    const orgId = orgOf(template);
    await acceptConsent(template, everything);
    const granted = await read(orgId, { includeHistory: true });
    click.clock.advance(day + 1);
    const before = await read(orgId, { includeHistory: true });
    const news = purposeOf(before, "news");
    expect(news).toMatchObject({ status: "EXPIRED", valid: false });
    expect(isoOf(news.updatedAt)).toBe(isoOf(purposeOf(granted, "news").expiresAt));
    expect(before.revision).toBe(granted.revision);
    expect(before.history[0]).toMatchObject({ type: "EXPIRED", purpose: "news", actor: "SYSTEM", source: "SYSTEM" });
    expect(isoOf(before.history[0]?.at)).toBe(isoOf(news.expiresAt));
    await sweepNow(click);
    const after = await read(orgId, { includeHistory: true });
    expect({ ...after, asOf: before.asOf }).toEqual(before);
  });

  test("is told of once, also with two processes, under the id that the history shows", async () => {
    const templates = Array.from({ length: 12 }, addShort);
    await Promise.all(
      templates.flatMap((template) =>
        ["ann", "bob"].map((userRef) => acceptConsent(template, everything, { userRef })),
      ),
    );
    await sweepNow(click);
    click.clock.advance(day + 1);
    await Promise.all([sweepNow(click), sweepNow(other)]);
    await sweepNow(click);
    for (const template of templates) {
      const events = await expiredEvents(template);
      const told = events.map(({ consentExpired }) => `${consentExpired.userKey} ${consentExpired.purpose}`);
      const users = ["ann", "bob"].map((userRef) => userKeyOf(click, template.organizationId, userRef));
      expect(told.sort()).toEqual(users.map((userKey) => `${userKey} news`).sort());
    }
    const [template] = templates as [FakeTemplate];
    const { history } = await read(orgOf(template), { userRef: "ann", includeHistory: true });
    const ann = userKeyOf(click, template.organizationId, "ann");
    const event = (await expiredEvents(template)).find(({ consentExpired }) => consentExpired.userKey === ann);
    expect(event.consentExpired).toMatchObject({
      consentEventId: history[0]?.eventId,
      templateId: template.templateId,
      versionId: template.versions[0]?.versionId,
      revision: 1,
      expiresAt: isoOf(history[0]?.at),
      receiptId: history.find(({ type, purpose }) => type === "GRANTED" && purpose === "news")?.receiptId,
    });
    expect(event).toMatchObject({ requestId: "", aggregateId: history[0]?.eventId });
  });

  test("is not told of when it was ended in time, and is when it was renewed too late", async () => {
    const [withdrawn, renewed, late] = [addShort(), addShort(), addShort()];
    for (const template of [withdrawn, renewed, late]) await acceptConsent(template, { news: true });
    click.clock.advance(day / 2);
    await update(orgOf(withdrawn), { news: "WITHDRAW" });
    await update(orgOf(renewed), { news: "RENEW" });
    click.clock.advance(day / 2 + 1);
    await update(orgOf(late), { news: "RENEW" });
    await sweepNow(click);
    expect(await expiredEvents(withdrawn)).toEqual([]);
    expect(await expiredEvents(renewed)).toEqual([]);
    expect(await expiredEvents(late)).toHaveLength(1);
    click.clock.advance(2 * day);
    await sweepNow(click);
    expect(await expiredEvents(renewed)).toHaveLength(1);
    expect(await expiredEvents(late)).toHaveLength(2);
  });

  test("once it was told of, no change can claim to have come before", async () => {
    const template = addShort();
    const orgId = orgOf(template);
    await acceptConsent(template, { news: true });
    click.clock.advance(day + 10);
    await sweepNow(click);
    // A process whose clock is behind.
    click.clock.advance(-20);
    try {
      const { state } = await update(orgId, { news: "WITHDRAW" });
      const { history } = await read(orgId, { includeHistory: true });
      expect(history.map(({ type }) => type)).toEqual(["WITHDRAWN", "EXPIRED", "GRANTED"]);
      expect(purposeOf(state, "news").status).toBe("WITHDRAWN");
    } finally {
      click.clock.advance(20);
    }
    expect(await expiredEvents(template)).toHaveLength(1);
  });

  test("a reader whose clock is behind sees what was recorded all the same", async () => {
    const template = addShort();
    await acceptConsent(template, { calls: true });
    click.clock.advance(-30);
    try {
      const state = await read(orgOf(template));
      expect(purposeOf(state, "calls").status).toBe("GRANTED");
      expect(isoOf(state.asOf)).toBe(isoOf(purposeOf(state, "calls").updatedAt));
    } finally {
      click.clock.advance(30);
    }
  });
});
