import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { OrgId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { consentActions } from "../../consent/test/consent-actions.ts";
import { leavesOf } from "../../log/test/signed-leaves.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { type ClickHarness, rows, startClick } from "../../test/harness.ts";
import { createErasureParts, type ErasureParts, erasureActions } from "./erasure-actions.ts";

let click: ClickHarness;
let parts: ErasureParts;
beforeAll(async () => {
  click = await startClick();
  parts = createErasureParts(click);
});
afterAll(async () => {
  await parts.close();
  await click.close();
});

const { addTemplate, create, get, accept, acceptTemplate } = clientActions(() => click);
const { addConsent, read, update, acceptConsent } = consentActions(() => click);
const { erase, receiptOf } = erasureActions(() => click);

const daySeconds = 86_400;
const daysAfter = (time: string, days: number) => new Date(Date.parse(time) + days * daySeconds * 1000).toISOString();
const nothing = { receipts: [], sessions: [], consentChanges: [] };

/** Everything stored about an organization's persons. */
const stored = async (orgId: OrgId) =>
  Promise.all(
    ["acceptance", "session", "consent_event", "consent_head", "subject_key", "log_leaf", "erasure"].map((table) =>
      rows(click, `select * from click.${table} where organization_id = $1 order by 1, 2, 3`, [orgId]),
    ),
  );

describe("a legal hold", () => {
  test("that a template has now stops the erasure of everything, and is named", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const other = click.templates.add(orgId);
    await acceptTemplate(template, { userRef: "ann" });
    await acceptTemplate(other, { userRef: "ann" });
    template.policyFlags = { legalHold: true };
    const before = await stored(orgId);
    const { details } = await expectDomainError(erase(orgId, "ann"), "CLICK_LEGAL_HOLD");
    expect(details).toMatchObject([{ field: template.templateId, code: "LEGAL_HOLD" }]);
    expect(details[0]?.message).toContain(template.slug);
    expect(await stored(orgId)).toEqual(before);
    template.policyFlags = { legalHold: false };
    expect((await erase(orgId, "ann")).erased.receipts).toHaveLength(2);
  });

  test("that held when a record was made holds even when it is lifted, and when the template is gone", async () => {
    const template = addTemplate({ policyFlags: { legalHold: true } });
    const orgId = orgOf(template);
    await create(template, { userRef: "ann" });
    template.policyFlags = {};
    await expectDomainError(erase(orgId, "ann"), "CLICK_LEGAL_HOLD");
    click.templates.remove(template);
    const { details } = await expectDomainError(erase(orgId, "ann"), "CLICK_LEGAL_HOLD");
    expect(details.map(({ field }) => field)).toEqual([template.templateId]);
    expect((await erase(orgId, "bob")).erased).toEqual(nothing);
  });

  test("stops the erasure of changes of consent that no acceptance made", async () => {
    const template = addConsent(["news"]);
    const orgId = orgOf(template);
    await update(orgId, { news: "GRANT" }, { userRef: "ann" });
    template.policyFlags = { legalHold: true };
    await expectDomainError(erase(orgId, "ann"), "CLICK_LEGAL_HOLD");
  });

  test("that cannot be ruled out stops it too: nothing is erased while the templates service is away", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    await acceptTemplate(template, { userRef: "ann" });
    const before = await stored(orgId);
    click.templates.fail(Code.Unavailable);
    try {
      await expectDomainError(erase(orgId, "ann"), "SERVICE_UNAVAILABLE");
      expect((await erase(orgId, "bob")).erased).toEqual(nothing);
    } finally {
      click.templates.fail(undefined);
    }
    expect(await stored(orgId)).toEqual(before);
  });
});

describe("a contract that must be kept", () => {
  test("is restricted for as long as its own terms say, and shown like an erased one", async () => {
    const template = addTemplate({ policyFlags: { retentionDays: 30 } });
    const orgId = orgOf(template);
    const session = await create(template, { userRef: "ann", metadata: { plan: "gold" } });
    const { receipt } = await accept(template, { sessionId: session.id });
    // What holds now is not what they agreed on.
    template.policyFlags = { retentionDays: 3 };
    const { receipt: later } = await acceptTemplate(template, { userRef: "ann" });
    template.policyFlags = {};
    const { receipt: free } = await acceptTemplate(template, { userRef: "ann" });
    const unanswered = await create(template, { userRef: "ann" });
    const answer = await erase(orgId, "ann");
    expect(answer.erased).toEqual({ ...nothing, receipts: [free.receiptId], sessions: [unanswered.id] });
    expect(answer.restricted).toEqual([
      { receiptId: receipt.receiptId, until: daysAfter(receipt.acceptedAt, 30), basis: "GDPR_17_3_E" },
      { receiptId: later.receiptId, until: daysAfter(later.acceptedAt, 3), basis: "GDPR_17_3_E" },
    ]);
    const leaf = JSON.parse(String((await leavesOf(click, orgId)).at(-1)?.leaf));
    const restricted = [receipt.receiptId, later.receiptId];
    expect(leaf).toMatchObject({
      receipts: [free.receiptId],
      restricted,
      kept: restricted.map((rid) => ({ rid, basis: "GDPR_17_3_E" })),
    });
    const withheld = { userRef: null, idempotencyKey: null, purposes: [], verification: [] };
    expect(await receiptOf(orgId, receipt.receiptId)).toEqual({ ...receipt, ...withheld, restricted: true });
    expect(await get(template, session.id)).toMatchObject({ restricted: true, erased: false, metadata: {} });
  });

  test("is said to be restricted again when somebody asks again, and nothing else happens", async () => {
    const template = addTemplate({ policyFlags: { retentionDays: 30 } });
    const orgId = orgOf(template);
    await acceptTemplate(template, { userRef: "ann" });
    const { restricted } = await erase(orgId, "ann");
    const before = await stored(orgId);
    expect(await erase(orgId, "ann")).toMatchObject({ erasureId: null, log: null, erased: nothing, restricted });
    expect(await stored(orgId)).toEqual(before);
  });

  test("is erased from the moment on when its time is over, and not a moment before", async () => {
    const template = addTemplate({ policyFlags: { retentionDays: 10 } });
    const orgId = orgOf(template);
    const { receipt } = await acceptTemplate(template, { userRef: "ann" });
    const { receipt: bobs } = await acceptTemplate(template, { userRef: "bob" });
    click.clock.advance(10 * daySeconds - 60);
    const { restricted } = await erase(orgId, "ann");
    expect(restricted.map(({ receiptId }) => receiptId)).toEqual([receipt.receiptId]);
    click.clock.advance(61);
    expect((await erase(orgId, "bob")).erased.receipts).toEqual([bobs.receiptId]);
    expect((await erase(orgId, "ann")).erased.receipts).toEqual([receipt.receiptId]);
    expect(await receiptOf(orgId, receipt.receiptId)).toMatchObject({ erased: true, restricted: false });
  });
});

describe("consent that must be kept", () => {
  test("is restricted until so long after the last change of its purpose", async () => {
    const template = addConsent([{ key: "news", expiresAfterDays: 90 }, "ads"], { policyFlags: { retentionDays: 20 } });
    const orgId = orgOf(template);
    const { receipt } = await acceptConsent(template, { news: true, ads: true }, { userRef: "ann" });
    click.clock.advance(5 * daySeconds);
    const { receipts } = await update(orgId, { ads: "WITHDRAW" }, { userRef: "ann", reason: "too many" });
    const [withdrawal] = receipts;
    const { receipts: unasked } = await update(orgId, { calls: "DENY" }, { userRef: "ann" });
    const answer = await erase(orgId, "ann");
    const until = daysAfter(String(withdrawal?.recordedAt), 20);
    expect(answer.restricted).toEqual([
      { receiptId: receipt.receiptId, until, basis: "GDPR_17_3_E" },
      { receiptId: withdrawal?.receiptId, until, basis: "GDPR_17_3_E" },
    ]);
    // No template asked for it, so none says that it must be kept.
    expect(answer.erased).toEqual({ ...nothing, consentChanges: unasked.map((one) => one.receiptId) });
    const state = await read(orgId, { userRef: "ann", includeHistory: true });
    expect(state.history.map(({ purpose, type, reason }) => [purpose, type, reason])).toEqual([
      ["ads", "WITHDRAWN", undefined],
      ["ads", "GRANTED", undefined],
      ["news", "GRANTED", undefined],
    ]);
    expect(await rows(click, "select from click.consent_deadline where organization_id = $1", [orgId])).toEqual([]);
    // Who comes back goes on where the numbers stand.
    await update(orgId, { news: "DENY" }, { userRef: "ann" });
    expect((await read(orgId, { userRef: "ann" })).revision).toBe(5n);
  });

  test("is erased when that is over, with the head of the user", async () => {
    const template = addConsent(["news"], { policyFlags: { retentionDays: 20 } });
    const orgId = orgOf(template);
    await acceptConsent(template, { news: true }, { userRef: "ann" });
    await update(orgId, { news: "WITHDRAW" }, { userRef: "ann" });
    await erase(orgId, "ann");
    click.clock.advance(20 * daySeconds);
    await parts.eraseDue();
    expect(await read(orgId, { userRef: "ann", includeHistory: true })).toMatchObject({ revision: 0n, history: [] });
    expect(await rows(click, "select from click.consent_head where organization_id = $1", [orgId])).toEqual([]);
    expect(await rows(click, "select from click.subject_key where organization_id = $1", [orgId])).toEqual([]);
  });
});
