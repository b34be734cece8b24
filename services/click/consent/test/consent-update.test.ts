import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { orgOf } from "../../test/actions.ts";
import { as, type ClickHarness, newOrg, rows, startClick } from "../../test/harness.ts";
import { consentActions, isoOf, purposeOf, statuses } from "./consent-actions.ts";
import { openChanges, userKeyOf, valuesOf } from "./consent-checks.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addConsent, read, update, acceptConsent } = consentActions(() => click);
const inDays = (days: number) => new Date(click.clock.now().getTime() + days * 86_400_000);

describe("updateConsentState", () => {
  test("grants upon the published text, with a receipt that can be read again", async () => {
    const template = addConsent(["news"]);
    const orgId = orgOf(template);
    const version = template.versions[0];
    const { state, receipts, receiptsJson, replayed } = await update(
      orgId,
      { news: "GRANT" },
      {
        source: "PREFERENCE_CENTER",
        method: "TOGGLE",
        actorType: "ADMIN",
        actorId: "agent-7",
        reason: "asked by phone",
        occurredAt: timestampFromDate(new Date("2026-01-02T03:04:05.678Z")),
      },
    );
    expect(replayed).toBe(false);
    expect(state.revision).toBe(1n);
    const news = purposeOf(state, "news");
    expect(news).toMatchObject({
      status: "GRANTED",
      valid: true,
      legalBasis: "CONSENT",
      jurisdiction: "EU",
      templateId: template.templateId,
      versionId: version?.versionId,
      revision: 1,
      locale: "en",
      source: "PREFERENCE_CENTER",
      method: "TOGGLE",
    });
    expect(receipts).toMatchObject([
      {
        receiptId: news.receiptId,
        status: "RECORDED",
        kind: "CONSENT",
        decision: "GRANT",
        consentStatus: "GRANTED",
        consentRevision: 1,
        organizationId: orgId,
        userRef: "user-1",
        purpose: "news",
        templateId: template.templateId,
        contentHash: news.contentHash,
        recordedAt: isoOf(news.updatedAt),
        occurredAt: "2026-01-02T03:04:05.678Z",
        actor: { type: "ADMIN", id: "agent-7" },
        reason: "asked by phone",
        idempotencyKey: null,
        erased: false,
        restricted: false,
      },
    ]);
    const receiptId = news.receiptId ?? "";
    expect((await click.client.getReceipt({ receiptId }, as(orgId))).receiptJson).toBe(receiptsJson[0]);
    await expectDomainError(click.client.getReceipt({ receiptId }, as(newOrg())), "CLICK_RECEIPT_NOT_FOUND");
    const { history } = await read(orgId, { includeHistory: true });
    expect(history).toMatchObject([
      { type: "GRANTED", purpose: "news", actor: "ADMIN", reason: "asked by phone", receiptId },
    ]);
    expect(isoOf(history[0]?.occurredAt)).toBe("2026-01-02T03:04:05.678Z");
    const kept = await rows(click, "select from click.agreement_text where version_id = $1", [version?.versionId]);
    expect(kept).toHaveLength(1);
  });

  test("purposes that are not named keep their state", async () => {
    const orgId = orgOf(addConsent(["news", "ads", "calls"]));
    await update(orgId, { news: "GRANT", ads: "DENY" });
    const { state } = await update(orgId, { calls: "GRANT", ads: "GRANT" });
    expect(statuses(state)).toEqual({ ads: "GRANTED", calls: "GRANTED", news: "GRANTED" });
    expect(state.revision).toBe(4n);
  });

  test("a withdrawal keeps what had been granted, and repeating it changes nothing", async () => {
    const template = addConsent(["news"]);
    const orgId = orgOf(template);
    const { receipt } = await acceptConsent(template, { news: true });
    const first = await update(orgId, { news: "WITHDRAW" }, { reason: "too many mails" });
    const news = purposeOf(first.state, "news");
    expect(news).toMatchObject({ status: "WITHDRAWN", valid: false, templateId: template.templateId, revision: 1 });
    expect(isoOf(news.grantedAt)).toBe(receipt.acceptedAt);
    expect(isoOf(news.withdrawnAt)).toBe(isoOf(news.updatedAt));
    const again = await update(orgId, { news: "WITHDRAW" });
    expect(again.receipts).toEqual([]);
    expect(again.state.consents).toEqual(first.state.consents);
    expect(again.state.revision).toBe(2n);
  });

  test("anything may be withdrawn and refused, also what nobody ever asked for", async () => {
    const orgId = newOrg();
    const { state } = await update(orgId, { "Something Else ✓": "WITHDRAW", other: "DENY" });
    expect(statuses(state)).toEqual({ "Something Else ✓": "WITHDRAWN", other: "DENIED" });
    expect((await update(orgId, { other: "DENY" })).receipts).toEqual([]);
    expect(statuses((await update(orgId, { other: "WITHDRAW" })).state)).toMatchObject({ other: "WITHDRAWN" });
  });

  test("withdrawAll ends every grant that holds, and leaves what is named to its own decision", async () => {
    const orgId = orgOf(addConsent(["a", "b", "c", "d"]));
    await update(orgId, { a: "GRANT", b: "GRANT", c: "DENY" });
    const { state, receipts } = await update(orgId, { d: "GRANT" }, { withdrawAll: true });
    expect(statuses(state)).toEqual({ a: "WITHDRAWN", b: "WITHDRAWN", c: "DENIED", d: "GRANTED" });
    expect(receipts).toHaveLength(3);
    await update(orgId, {}, { withdrawAll: true });
    const nothingLeft = await update(orgId, {}, { withdrawAll: true });
    expect(nothingLeft.receipts).toEqual([]);
    expect(nothingLeft.state.revision).toBe(7n);
    expect((await update(newOrg(), {}, { withdrawAll: true })).state).toMatchObject({ revision: 0n, consents: [] });
  });

  test("changes only the revision that is expected", async () => {
    const orgId = orgOf(addConsent(["news", "ads"]));
    await update(orgId, { news: "GRANT" }, { expectedRevision: 0n });
    await expectDomainError(update(orgId, { ads: "GRANT" }, { expectedRevision: 0n }), "CLICK_CONSENT_CONFLICT");
    // A conflict comes before what the request means.
    await expectDomainError(update(orgId, { x: "GRANT" }, { expectedRevision: 0n }), "CLICK_CONSENT_CONFLICT");
    const { state } = await update(orgId, { ads: "GRANT" }, { expectedRevision: 1n });
    expect([state.revision, (await read(orgId)).revision]).toEqual([2n, 2n]);
  });

  test("refuses what is badly formed", async () => {
    const orgId = orgOf(addConsent(["news"]));
    const refuse = async (change: Parameters<typeof update>[2], field: string) => {
      // What the contract itself refuses is named for this interface by the gateway.
      const code = ["reason", "method", "userRef"].includes(field) ? "VALIDATION_FAILED" : "CLICK_VALIDATION_FAILED";
      const error = await expectDomainError(update(orgId, { news: "GRANT" }, change), code);
      expect(error.details.map((detail) => detail.field)).toEqual([field]);
    };
    await refuse({ source: "TELEPATHY" }, "source");
    await refuse({ actorType: "ROBOT" }, "actor.type");
    await refuse({ actorId: "a\u0000" }, "actor.id");
    await refuse({ locale: "no locale" }, "locale");
    await refuse({ reason: "a\u0000b" }, "reason");
    await refuse({ method: "\u0000" }, "method");
    await refuse({ userRef: "a\u0000b" }, "userRef");
    await refuse({ occurredAt: timestampFromDate(inDays(1)) }, "occurredAt");
    await refuse({ metadata: { note: "n".repeat(501) } }, "metadata.note");
    await expectDomainError(update(orgId, {}), "CLICK_VALIDATION_FAILED");
    await expectDomainError(update(orgId, { "a\u0000": "WITHDRAW" }), "VALIDATION_FAILED");
    await expectDomainError(
      update(orgId, { news: "GRANT" }, { idempotencyKey: "schlüssel" }),
      "CLICK_IDEMPOTENCY_KEY_INVALID",
    );
    const twice = [1, 2].map(() => ({ purpose: "news", decision: "GRANT" }));
    const repeated = click.client.updateConsentState({ userRef: "user-1", purposes: twice }, as(orgId));
    await expectDomainError(repeated, "CLICK_VALIDATION_FAILED");
    expect((await read(orgId)).revision).toBe(0n);
  });

  test("keeps what the request said of itself, addresses truncated", async () => {
    const orgId = orgOf(addConsent(["news", "ads"]));
    await update(
      orgId,
      { news: "GRANT", ads: "GRANT" },
      {
        context: { ip: "198.51.100.7", userAgent: "Firefox/133.0 (X11; Linux)" },
        observed: { ip: "203.0.113.77", userAgent: "backend/1.2.3" },
        metadata: { ticket: "7" },
      },
    );
    const kept = await openChanges(click, orgId);
    expect(kept.map(({ disclosures }) => valuesOf(disclosures))).toEqual(
      [1, 2].map(() => ({
        userRef: "user-1",
        actor: { type: "USER", id: null },
        context: { ip: "198.51.100.0", userAgent: "Firefox/133.0 (X11; Linux)" },
        observed: { ip: "203.0.113.0", userAgent: "backend/1.2.3", clientId: "cl_test", requestId: "req-1" },
        metadata: { ticket: "7" },
      })),
    );
  });

  test("tells of each change, and of nothing when nothing changed", async () => {
    const orgId = orgOf(addConsent(["news"]));
    await update(orgId, { news: "GRANT" });
    await update(orgId, { news: "RENEW" });
    await update(orgId, { news: "WITHDRAW" }, { reason: "enough" });
    await update(orgId, { news: "WITHDRAW" });
    await update(orgId, { news: "DENY" });
    const events = await rows<{ subject: string; data: string }>(
      click,
      "select subject, data from click.outbox where organization_id = $1 order by position",
      [orgId],
    );
    expect(events.map(({ subject }) => subject.replace("assent.click.consent.", ""))).toEqual([
      "granted",
      "granted",
      "withdrawn",
      "denied",
    ]);
    expect(events.map(({ data }) => JSON.parse(data))).toMatchObject([
      { requestId: "req-1", consentGranted: { renewed: false } },
      { consentGranted: { renewed: true } },
      { consentWithdrawn: { purpose: "news", userKey: userKeyOf(click, orgId, "user-1") } },
      { consentDenied: { purpose: "news" } },
    ]);
  });

  test("a caller's claim of the time never reorders", async () => {
    const orgId = orgOf(addConsent(["news"]));
    await update(orgId, { news: "GRANT" });
    await update(orgId, { news: "WITHDRAW" }, { occurredAt: timestampFromDate(new Date("2020-01-01T00:00:00Z")) });
    expect(statuses(await read(orgId))).toEqual({ news: "WITHDRAWN" });
    await update(orgId, { news: "GRANT" }, { occurredAt: timestampFromDate(new Date("2019-01-01T00:00:00Z")) });
    expect(statuses(await read(orgId))).toEqual({ news: "GRANTED" });
  });
});
