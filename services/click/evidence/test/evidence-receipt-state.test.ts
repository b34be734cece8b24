import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { consentActions } from "../../consent/test/consent-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { as, type ClickHarness, newOrg, startClick } from "../../test/harness.ts";
import { allBut, allChecks, receiptChecks } from "../../test/receipt-checks.ts";
import { evidenceActions } from "./evidence-actions.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, acceptTemplate } = clientActions(() => click);
const { update } = consentActions(() => click);
const { bundleOf, integrate, erase, restrict, revokeReceiptKey } = evidenceActions(() => click);
const { verify, outcome, reason, record } = receiptChecks(() => click);

describe("a receipt whose person was erased or restricted", () => {
  test.each([
    ["erased", erase],
    ["restricted", restrict],
  ])("%s: as it is answered now it holds; what the older one shows needs its disclosures", async (state, change) => {
    const { orgId, receipt, sessionId } = await record();
    const { disclosures } = (await bundleOf(orgId, sessionId)).integrity;
    await change({ orgId, sessionId });
    const { receiptJson } = await click.client.getReceipt({ receiptId: receipt.receiptId }, as(orgId));
    const now = JSON.parse(receiptJson);
    expect(now[state]).toBe(true);
    expect(await outcome(orgId, { receipt: now })).toEqual(allChecks);
    expect(await outcome(orgId, { receipt })).toEqual(allBut("DISCLOSURES"));
    expect(await reason(orgId, { receipt })).toContain("userRef, idempotencyKey, verification");
    expect(await outcome(orgId, { receipt, disclosures })).toEqual(allChecks);
    const lie = { ...receipt, userRef: "somebody else" };
    expect(await outcome(orgId, { receipt: lie, disclosures })).toEqual(allBut("DISCLOSURES"));
    // Silence is no lie once it says why.
    expect(await outcome(orgId, { receipt: { ...now, [state]: false }, disclosures })).toEqual(allBut("DISCLOSURES"));
  });

  test("a change of consent too", async () => {
    const orgId = orgOf(addTemplate());
    const { receipts } = await update(
      orgId,
      { news: "WITHDRAW" },
      { reason: "too many", actorType: "ADMIN", actorId: "7" },
    );
    const receiptId = String(receipts[0]?.receiptId);
    await click.superuser.query("delete from click.subject_key where record_id = $1", [receiptId]);
    const { receiptJson } = await click.client.getReceipt({ receiptId }, as(orgId));
    expect(await outcome(orgId, { receipt: JSON.parse(receiptJson) })).toEqual(allChecks);
    expect(await outcome(orgId, { receipt: receipts[0] ?? {} })).toEqual(allBut("DISCLOSURES"));
  });
});

describe("a receipt of another organization", () => {
  test("is not recorded, like one that nobody recorded, and no more is said", async () => {
    const { orgId, receipt, sessionId } = await record();
    await integrate(orgId);
    const { disclosures } = (await bundleOf(orgId, sessionId)).integrity;
    const stranger = newOrg();
    const foreign = await verify(stranger, { receipt, disclosures });
    expect(foreign.valid).toBe(false);
    const made = allChecks.filter((check) => check !== "INCLUSION");
    expect(foreign.checks.map(({ check, ok }) => (ok ? check : `${check}!`))).toEqual(
      made.map((check) => (["ORGANIZATION", "RECORDED"].includes(check) ? `${check}!` : check)),
    );
    // Signed by us and never recorded, as after a crash between the two.
    await click.superuser.query("delete from click.log_leaf where organization_id = $1", [orgId]);
    await click.superuser.query("delete from click.acceptance where organization_id = $1", [orgId]);
    expect(await verify(stranger, { receipt, disclosures })).toEqual(foreign);
    const own = await verify(orgId, { receipt, disclosures });
    const of = ({ checks }: typeof own) => checks.find(({ check }) => check === "RECORDED");
    expect(of(own)).toEqual(of(foreign));
    expect(own.checks).toHaveLength(foreign.checks.length);
  });

  test("shows nothing personal without its disclosures that would be confirmed", async () => {
    const { receipt } = await record();
    const stranger = newOrg();
    const wrong = { ...receipt, userRef: "somebody else" };
    const messages = async (given: object) => (await verify(stranger, { receipt: given })).checks.map((c) => c.message);
    expect(await messages(receipt)).toEqual(await messages(wrong));
  });
});

describe("a record that no checkpoint covers", () => {
  test("is promised at first, and a broken promise after a minute", async () => {
    const { orgId, receipt } = await record();
    expect((await verify(orgId, { receipt })).checks.at(-1)?.message).toContain(receipt.log.integrateBy);
    click.clock.advance(61);
    expect(await outcome(orgId, { receipt })).toEqual(allBut("INCLUSION"));
    await integrate(orgId);
    expect(await outcome(orgId, { receipt })).toEqual(allChecks);
  });

  test("that the log leads elsewhere with is not included", async () => {
    const { template, orgId, receipt } = await record();
    await acceptTemplate(template);
    await integrate(orgId);
    await click.superuser.query(
      "update click.log_tile set hashes = overlay(hashes placing sha256(hashes) from 33) where organization_id = $1",
      [orgId],
    );
    expect(await outcome(orgId, { receipt })).toEqual(allBut("INCLUSION"));
  });
});

describe("a key that was revoked", () => {
  test("leaves what it had signed before, and nothing of afterwards", async () => {
    const { orgId, receipt } = await record();
    await integrate(orgId);
    await revokeReceiptKey(receipt.signature.kid);
    click.clock.advance(120);
    expect(await outcome(orgId, { receipt })).toEqual(allChecks);
    const { rows } = await click.superuser.query<{ revoked_at: Date }>(
      "select revoked_at from click.signing_key where kid = $1",
      [receipt.signature.kid],
    );
    expect(rows[0]?.revoked_at).toBeInstanceOf(Date);
    await click.superuser.query("update click.signing_key set revoked_at = '2026-01-01T00:00:00Z' where kid = $1", [
      receipt.signature.kid,
    ]);
    click.clock.advance(40);
    expect(await outcome(orgId, { receipt })).toEqual(allBut("KEY_VALIDITY"));
  });
});
