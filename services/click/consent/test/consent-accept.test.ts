import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { accepted, batchItem, type ClickHarness, rows, startClick } from "../../test/harness.ts";
import { consentActions, decide, isoOf, purposeOf, statuses } from "./consent-actions.ts";
import { brokenHistories, brokenLogs, strayConsents, userKeyOf } from "./consent-checks.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, complete, accept, acceptTemplate } = clientActions(() => click);
const { addConsent, read, acceptConsent } = consentActions(() => click);

describe("accepting a CONSENT template", () => {
  test("gives each purpose its state, from what was accepted", async () => {
    const template = addConsent(["news", { key: "ads", legalBasis: "EXPLICIT_CONSENT" }]);
    const { receipt } = await acceptConsent(template, { news: true, ads: false }, { action: "CHECKBOX" });
    const state = await read(orgOf(template));
    expect(state).toMatchObject({ userRef: "user-1", organizationId: template.organizationId, revision: 2n });
    const { receiptId, templateId, versionId, contentHash } = receipt;
    const text = { templateId, versionId, revision: 1, locale: "en", contentHash, receiptId };
    const how = { source: "ACCEPT", method: "CHECKBOX", jurisdiction: "EU" };
    expect(state.consents).toMatchObject([
      { purpose: "ads", status: "DENIED", valid: false, legalBasis: "EXPLICIT_CONSENT", ...text, ...how },
      { purpose: "news", status: "GRANTED", valid: true, legalBasis: "CONSENT", ...text, ...how },
    ]);
    const news = purposeOf(state, "news");
    expect([isoOf(news.grantedAt), isoOf(news.updatedAt)]).toEqual([receipt.acceptedAt, receipt.acceptedAt]);
    expect([news.withdrawnAt, news.expiresAt, purposeOf(state, "ads").grantedAt]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(state.agreements).toMatchObject([{ templateId, status: "ACCEPTED", isLatest: true, receiptId }]);
  });

  test("a retry changes nothing", async () => {
    const template = addConsent(["news"]);
    const item = { orgId: orgOf(template), key: "k", body: { templateId: template.templateId, userRef: "user-1" } };
    const body = { ...item.body, ...decide({ news: true }) };
    const { results } = await click.client.acceptBatch({
      items: [1, 2, 3].map(() => batchItem({ ...item, body })),
    });
    expect(new Set(results.map((result) => accepted(result).receiptJson)).size).toBe(1);
    expect((await read(orgOf(template))).revision).toBe(1n);
  });

  test("only purposes that are decided change", async () => {
    const template = addConsent(["news", "ads"]);
    await acceptConsent(template, { news: true, ads: true });
    await acceptConsent(template, { ads: false });
    expect(statuses(await read(orgOf(template)))).toEqual({ ads: "DENIED", news: "GRANTED" });
  });

  test("a decline refuses everything that was asked for", async () => {
    const template = addConsent(["news", "ads"], { policyFlags: { allowDecline: true } });
    await acceptConsent(template, { news: true });
    const { receipt } = await acceptTemplate(template, { decision: "DECLINE" });
    expect(receipt.purposes).toEqual([
      { purpose: "news", granted: false },
      { purpose: "ads", granted: false },
    ]);
    const state = await read(orgOf(template));
    expect(statuses(state)).toEqual({ ads: "DENIED", news: "DENIED" });
    expect(state.agreements).toMatchObject([{ status: "DECLINED", receiptId: receipt.receiptId }]);
    const contradiction = acceptConsent(template, { news: true }, { decision: "DECLINE" });
    await expectDomainError(contradiction, "CLICK_VALIDATION_FAILED");
  });

  test("what Global Privacy Control refuses is recorded as refused", async () => {
    const template = addConsent(["news", { key: "ads", saleOrShare: true }], { policyFlags: { honorGpc: true } });
    await acceptConsent(template, { news: true, ads: true }, { context: { gpc: true } });
    expect(statuses(await read(orgOf(template)))).toEqual({ ads: "DENIED", news: "GRANTED" });
  });

  test("has happened from its very millisecond on, for those who ask about the past", async () => {
    const template = addConsent(["news"]);
    const { receipt } = await acceptConsent(template, { news: true });
    const asOf = (time: number) =>
      read(orgOf(template), { at: timestampFromDate(new Date(time)), includeHistory: true });
    click.clock.advance(60);
    const acceptedAt = Date.parse(receipt.acceptedAt);
    expect(await asOf(acceptedAt)).toMatchObject({ revision: 1n, consents: [{ status: "GRANTED" }], agreements: [{}] });
    const before = await asOf(acceptedAt - 1);
    expect([before.revision, before.consents, before.agreements, before.history]).toEqual([0n, [], [], []]);
    expect(isoOf(before.asOf)).toBe(new Date(acceptedAt - 1).toISOString());
  });

  test("a session brings its consents with it, whichever way it is accepted", async () => {
    const template = addConsent(["news"]);
    const [first, second] = [await create(template), await create(template)];
    await accept(template, { sessionId: first.id, ...decide({ news: true }) });
    await complete(template, second.id, { acceptance: decide({ news: false }) });
    const state = await read(orgOf(template), { includeHistory: true });
    expect(state.history.map(({ type }) => type)).toEqual(["DENIED", "GRANTED"]);
  });

  test("a refused acceptance leaves nothing behind", async () => {
    const template = addConsent(["news", { key: "terms", required: true }]);
    await expectDomainError(acceptConsent(template, { news: true }), "CLICK_POLICY_NOT_SATISFIED");
    const { id } = await create(template);
    await complete(template, id);
    await expectDomainError(accept(template, { sessionId: id, ...decide({ terms: true }) }), "CLICK_SESSION_CLOSED");
    expect(await read(orgOf(template))).toMatchObject({ revision: 0n, consents: [], agreements: [] });
  });

  test("other templates change no consent", async () => {
    const template = addTemplate();
    await acceptTemplate(template);
    expect(await read(orgOf(template))).toMatchObject({
      revision: 0n,
      consents: [],
      agreements: [{ status: "ACCEPTED" }],
    });
    const sql = "select from click.consent_head where organization_id = $1";
    expect(await rows(click, sql, [template.organizationId])).toEqual([]);
  });

  test("has one event for each purpose", async () => {
    const template = addConsent(["news", { key: "ads", expiresAfterDays: 30 }, "calls"]);
    const { receipt } = await acceptConsent(template, { news: true, ads: true, calls: false });
    const events = await rows<{ subject: string; data: string }>(
      click,
      "select subject, data from click.outbox where organization_id = $1 order by position",
      [template.organizationId],
    );
    expect(events.map(({ subject }) => subject.replace("assent.click.", ""))).toEqual([
      "acceptance.recorded",
      "consent.granted",
      "consent.granted",
      "consent.denied",
    ]);
    const history = (await read(orgOf(template), { includeHistory: true })).history;
    const userKey = userKeyOf(click, template.organizationId, "user-1");
    const about = { userKey, templateId: template.templateId, revision: 1, receiptId: receipt.receiptId };
    const ends = isoOf(purposeOf(await read(orgOf(template)), "ads").expiresAt);
    expect(events.slice(1).map(({ data }) => JSON.parse(data))).toMatchObject([
      { consentGranted: { ...about, purpose: "news", renewed: false, consentEventId: history[2]?.eventId } },
      { consentGranted: { ...about, purpose: "ads", expiresAt: ends } },
      { consentDenied: { ...about, purpose: "calls" } },
    ]);
  });

  test("no acceptance is without its changes of consent, and no change without its acceptance", async () => {
    const [consent, plain] = [addConsent(["news", "ads"]), addTemplate()];
    const other = await click.startAnother();
    const sessions = await Promise.all(Array.from({ length: 20 }, () => create(consent, {})));
    // Few keys, users and sessions over two processes and mixed batches: most of it collides.
    const item = (n: number) => {
      const template = n % 5 === 0 ? plain : consent;
      const userRef = `user-${n % 7}`;
      const decisions = n % 5 === 0 ? {} : decide({ news: n % 2 === 0, ads: n % 3 === 0 });
      const subject = n % 4 === 1 ? { sessionId: sessions[n % 20]?.id } : { templateId: template.templateId };
      return batchItem({ orgId: orgOf(template), key: `k-${n % 150}`, body: { ...subject, userRef, ...decisions } });
    };
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, batch) => {
        const items = Array.from({ length: 25 }, (_, n) => item((batch * 37 + n * 11) % 400));
        return (batch % 2 === 0 ? click : other).client.acceptBatch({ items });
      }),
    );
    const codes = answers.flatMap(({ results }) =>
      results.map(({ outcome }) => (outcome.case === "error" ? outcome.value.errorCode : "ok")),
    );
    expect([...new Set(codes)].sort()).toEqual(
      expect.arrayContaining(["CLICK_IDEMPOTENCY_KEY_REUSED", "CLICK_SESSION_CLOSED", "ok"]),
    );
    expect(codes).not.toContain("INTERNAL_ERROR");
    expect(await strayConsents(click)).toEqual([]);
    expect(await brokenHistories(click)).toEqual([]);
    expect(await brokenLogs(click)).toEqual([]);
  });
});
