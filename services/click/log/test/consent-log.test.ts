import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { consentActions } from "../../consent/test/consent-actions.ts";
import { brokenHistories, brokenLogs, openChanges, strayConsents } from "../../consent/test/consent-checks.ts";
import { orgOf } from "../../test/actions.ts";
import { as, type ClickHarness, type ClickInstance, newOrg, startClick, testIssuer } from "../../test/harness.ts";
import { leafHashOf, logOrigin } from "../leaf.ts";
import { leavesOf, verifyLeafJws } from "./signed-leaves.ts";

let click: ClickHarness;
let other: ClickInstance;
beforeAll(async () => {
  click = await startClick();
  other = await click.startAnother();
});
afterAll(() => click.close());

const { addConsent, read, update, acceptConsent } = consentActions(() => click);

const signatureOf = ({ signature }: JsonObject) => signature as { alg: string; kid: string; jws: string };

describe("a change of consent", () => {
  test("is a signed leaf of the log, and its receipt tells which", async () => {
    const orgId = orgOf(addConsent(["news", "ads"]));
    const { receipts } = await update(orgId, { news: "GRANT", ads: "DENY" }, { reason: "asked by phone" });
    const leaves = await leavesOf(click, orgId);
    expect(leaves.map(({ kind, leafIndex }) => `${leafIndex} ${kind}`)).toEqual([
      "0 click.consent.granted",
      "1 click.consent.denied",
    ]);
    for (const [index, receipt] of receipts.entries()) {
      const leaf = leaves[index]?.leaf ?? Buffer.of();
      const { alg, jws } = signatureOf(receipt);
      expect(alg).toBe("EdDSA");
      expect((await verifyLeafJws(click, jws)).equals(leaf)).toBe(true);
      expect(receipt.log).toEqual({
        logId: orgId,
        origin: logOrigin(testIssuer, orgId),
        leafIndex: index,
        leafHash: `sha256:${leafHashOf(leaf).toString("hex")}`,
        integrateBy: new Date(Date.parse(String(receipt.recordedAt)) + 60_000).toISOString(),
      });
      const { receiptId, eventId, consentRevision, recordedAt, contentHash } = receipt;
      expect(JSON.parse(leaf.toString("utf8"))).toMatchObject({
        iss: testIssuer,
        org: orgId,
        rid: receiptId,
        eid: eventId,
        consentRevision,
        recordedAt,
        contentHash,
      });
    }
  });

  test("has one receipt for ever: at first, when it is repeated and when it is read", async () => {
    const orgId = orgOf(addConsent(["news", "ads"]));
    const send = (instance: ClickInstance) =>
      update(orgId, { news: "GRANT", ads: "WITHDRAW" }, { idempotencyKey: "k", reason: 'a "reason" \\ ✓' }, instance);
    const { receiptsJson, receipts } = await send(click);
    expect((await send(other)).receiptsJson).toEqual(receiptsJson);
    for (const [index, { receiptId }] of receipts.entries()) {
      const { receiptJson } = await other.client.getReceipt({ receiptId: String(receiptId) }, as(orgId));
      expect(receiptJson).toBe(receiptsJson[index]);
    }
  });

  test("that changes nothing adds nothing to the log", async () => {
    const orgId = newOrg();
    await update(orgId, {}, { withdrawAll: true, idempotencyKey: "k" });
    await update(orgId, { news: "WITHDRAW" });
    await update(orgId, { news: "WITHDRAW" });
    expect(await leavesOf(click, orgId)).toHaveLength(1);
  });

  test("that is refused adds nothing to the log", async () => {
    const orgId = newOrg();
    await expect(update(orgId, { news: "WITHDRAW" }, { expectedRevision: 1n })).rejects.toThrow();
    await expect(update(orgId, { news: "GRANT" })).rejects.toThrow();
    expect(await leavesOf(click, orgId)).toEqual([]);
  });

  test("under one key at two processes at once is in the log once", async () => {
    const orgId = orgOf(addConsent(["news", "ads"]));
    for (let round = 0; round < 12; round += 1) {
      const change = { idempotencyKey: `k-${round}` };
      const answers = await Promise.all(
        [click, other, other, click].map((instance) =>
          update(orgId, { news: "GRANT", ads: "GRANT" }, change, instance),
        ),
      );
      expect(new Set(answers.map(({ receiptsJson }) => receiptsJson.join())).size).toBe(1);
      expect(await leavesOf(click, orgId)).toHaveLength(2 * (round + 1));
    }
    expect(await openChanges(click, orgId)).toHaveLength(24);
    expect(await brokenLogs(click)).toEqual([]);
  });
});

describe("acceptances and changes of the same users at once", () => {
  test("lose nothing, never wait for each other in a circle, and leave no gap in the log", async () => {
    const template = addConsent(["a", "b", "c"]);
    const orgId = orgOf(template);
    const users = ["ann", "bob"];
    const decisions = ["GRANT", "DENY", "WITHDRAW"] as const;
    const made = await Promise.all(
      Array.from({ length: 96 }, async (_, n) => {
        const instance = n % 2 === 0 ? click : other;
        const userRef = users[n % 3 === 0 ? 1 : 0] ?? "";
        if (n % 4 < 2) {
          await acceptConsent(template, { a: n % 8 < 4, b: true }, { userRef }, instance);
          return { changes: 2, leaves: 1 };
        }
        const decision = decisions[n % 5 === 0 ? 0 : (n % 2) + 1] ?? "GRANT";
        const { receipts } = await update(orgId, { c: decision, a: "GRANT" }, { userRef }, instance);
        return { changes: receipts.length, leaves: receipts.length };
      }),
    );
    const sum = (count: (one: (typeof made)[number]) => number) => made.reduce((total, one) => total + count(one), 0);
    const revisions = await Promise.all(
      users.map(async (userRef) => Number((await read(orgId, { userRef })).revision)),
    );
    expect(revisions.reduce((a, b) => a + b)).toBe(sum(({ changes }) => changes));
    expect(await leavesOf(click, orgId)).toHaveLength(sum(({ leaves }) => leaves));
    expect(await brokenLogs(click)).toEqual([]);
    expect(await brokenHistories(click)).toEqual([]);
    expect(await strayConsents(click)).toEqual([]);
  });
});
