import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { acceptOne, as, type ClickHarness, type ClickInstance, codeOf, rows, startClick } from "../../test/harness.ts";
import { consentActions, isoOf } from "./consent-actions.ts";
import { brokenHistories, strayConsents } from "./consent-checks.ts";

let click: ClickHarness;
let other: ClickInstance;
beforeAll(async () => {
  click = await startClick();
  other = await click.startAnother();
});
afterAll(() => click.close());

const { addConsent, addConsent: add, read, update, acceptConsent } = consentActions(() => click);

const acceptUnder = (template: FakeTemplate, key: string, { client }: ClickInstance = click) => {
  const purposes = [{ purpose: "news", granted: true }];
  return acceptOne(client, {
    orgId: orgOf(template),
    key,
    body: { templateId: template.templateId, userRef: "user-1", purposes },
  });
};

describe("a change of consent with an idempotency key", () => {
  test("is made once and answered with the same receipts, however often it is sent", async () => {
    const orgId = orgOf(addConsent(["news", "ads"]));
    const send = (instance: ClickInstance = click) =>
      update(orgId, { news: "GRANT", ads: "DENY" }, { idempotencyKey: "k" }, instance);
    const first = await send();
    expect(first).toMatchObject({ replayed: false, receipts: [{ idempotencyKey: "k" }, { idempotencyKey: "k" }] });
    await update(orgId, { news: "WITHDRAW" });
    const again = await send(other);
    expect(again).toMatchObject({ replayed: true, receiptsJson: first.receiptsJson });
    expect(again.state.revision).toBe(3n);
  });

  test("is answered again whatever has become of what it was about", async () => {
    const template = addConsent(["news"]);
    const orgId = orgOf(template);
    const send = () => update(orgId, { news: "GRANT" }, { idempotencyKey: "k", expectedRevision: 0n });
    const first = await send();
    click.templates.remove(template);
    expect((await send()).receiptsJson).toEqual(first.receiptsJson);
  });

  test("cannot be sent with another body, nor for another user", async () => {
    const orgId = orgOf(addConsent(["news"]));
    await update(orgId, { news: "GRANT" }, { idempotencyKey: "k" });
    const reused = (promise: Promise<unknown>) => expectDomainError(promise, "CLICK_IDEMPOTENCY_KEY_REUSED");
    await reused(update(orgId, { news: "DENY" }, { idempotencyKey: "k" }));
    await reused(update(orgId, { news: "GRANT" }, { idempotencyKey: "k", reason: "x" }));
    await reused(update(orgId, { news: "GRANT" }, { idempotencyKey: "k", userRef: "user-2" }));
    expect((await read(orgId)).revision).toBe(1n);
  });

  test("the same body is the same, whatever the network and the headers say", async () => {
    const orgId = orgOf(addConsent(["news"]));
    const change = { idempotencyKey: "k", metadata: { b: "2", a: "1" } };
    await update(orgId, { news: "GRANT" }, { ...change, observed: { ip: "203.0.113.7", userAgent: "a" } });
    const again = await update(
      orgId,
      { news: "GRANT" },
      { ...change, metadata: { a: "1", b: "2" }, expectedRevision: 9n },
    );
    expect(again.replayed).toBe(true);
  });

  test("the digest that the gateway made of the body decides, together with the user", async () => {
    const orgId = orgOf(addConsent(["news"]));
    const send = (digest: string, userRef = "user-1", reason = "x") =>
      update(orgId, { news: "GRANT" }, { idempotencyKey: "k", bodyDigest: Buffer.alloc(32, digest), userRef, reason });
    await send("a");
    expect((await send("a", "user-1", "y")).replayed).toBe(true);
    await expectDomainError(send("b"), "CLICK_IDEMPOTENCY_KEY_REUSED");
    await expectDomainError(send("a", "user-2"), "CLICK_IDEMPOTENCY_KEY_REUSED");
  });

  test("a refused change does not use up its key, one that changes nothing does", async () => {
    const orgId = orgOf(addConsent(["news"]));
    await expectDomainError(update(orgId, { x: "GRANT" }, { idempotencyKey: "k" }), "CLICK_PURPOSE_UNKNOWN");
    const conflict = update(orgId, { news: "GRANT" }, { idempotencyKey: "k", expectedRevision: 5n });
    await expectDomainError(conflict, "CLICK_CONSENT_CONFLICT");
    await update(orgId, { news: "WITHDRAW" });
    const idle = await update(orgId, { news: "WITHDRAW" }, { idempotencyKey: "k" });
    expect(idle).toMatchObject({ replayed: false, receipts: [] });
    expect(await update(orgId, { news: "WITHDRAW" }, { idempotencyKey: "k" })).toMatchObject({ replayed: true });
    await expectDomainError(update(orgId, { news: "GRANT" }, { idempotencyKey: "k" }), "CLICK_IDEMPOTENCY_KEY_REUSED");
  });

  test("a key that an acceptance used is taken, and the other way round", async () => {
    const template = addConsent(["news"]);
    const orgId = orgOf(template);
    const { receipt } = await acceptUnder(template, "accept");
    await expectDomainError(
      update(orgId, { news: "WITHDRAW" }, { idempotencyKey: "accept" }),
      "CLICK_IDEMPOTENCY_KEY_REUSED",
    );
    await update(orgId, { news: "WITHDRAW" }, { idempotencyKey: "update" });
    await expectDomainError(acceptUnder(template, "update"), "CLICK_IDEMPOTENCY_KEY_REUSED");
    // Also when the acceptance would be refused for another reason.
    template.archived = true;
    await expectDomainError(acceptUnder(template, "update"), "CLICK_IDEMPOTENCY_KEY_REUSED");
    const listed = await click.client.listAcceptances({}, as(orgId));
    expect(listed.receiptsJson.map((json) => JSON.parse(json).receiptId)).toEqual([receipt.receiptId]);
    const [row] = await rows<{ id: string }>(
      click,
      "select receipt_id as id from click.acceptance where organization_id = $1 and decision = 'CONSENT'",
      [orgId],
    );
    const id = row?.id ?? "";
    await expectDomainError(click.client.getReceipt({ receiptId: id }, as(orgId)), "CLICK_RECEIPT_NOT_FOUND");
    await expectDomainError(click.client.getSession({ sessionId: id }, as(orgId)), "CLICK_SESSION_NOT_FOUND");
    await expectDomainError(click.client.getEvidenceBundle({ sessionId: id }, as(orgId)), "CLICK_EVIDENCE_NOT_FOUND");
    const item = { orgId, key: "x", body: { sessionId: id, userRef: "user-1" } };
    await expectDomainError(acceptOne(click.client, item), "CLICK_SESSION_NOT_FOUND");
  });
});

describe("two processes", () => {
  test("with one key at once make one change and answer the same receipt", async () => {
    const orgId = orgOf(addConsent(["news"]));
    for (let round = 0; round < 15; round += 1) {
      const change = { idempotencyKey: `k-${round}` };
      const answers = await Promise.all(
        [click, other, click, other, click].map((instance) => update(orgId, { news: "GRANT" }, change, instance)),
      );
      expect(new Set(answers.map(({ receiptsJson }) => receiptsJson.join())).size).toBe(1);
      expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    }
    expect((await read(orgId)).revision).toBe(15n);
  });

  test("with one key for a change and an acceptance at once: one of them gets it", async () => {
    const template = add(["news"]);
    const orgId = orgOf(template);
    let changes = 0;
    for (let round = 0; round < 30; round += 1) {
      const key = `race-${round}`;
      const outcomes = await Promise.all([
        codeOf(acceptUnder(template, key, round % 2 === 0 ? click : other)),
        update(orgId, { news: "GRANT" }, { idempotencyKey: key }, other).then(
          () => "changed",
          async (error: unknown) =>
            (await expectDomainError(Promise.reject(error), "CLICK_IDEMPOTENCY_KEY_REUSED")).code,
        ),
      ]);
      if (outcomes[1] === "changed") changes += 1;
      expect([
        ["ok", "CLICK_IDEMPOTENCY_KEY_REUSED"],
        ["CLICK_IDEMPOTENCY_KEY_REUSED", "changed"],
      ]).toContainEqual(outcomes);
    }
    const { revision, history } = await read(orgId, { includeHistory: true });
    expect(revision).toBe(30n);
    expect(history.filter(({ source }) => source === "API")).toHaveLength(changes);
    expect(await strayConsents(click)).toEqual([]);
  });

  test("that change one user at once lose no change and count each once", async () => {
    const template = addConsent(["a", "b", "c"]);
    const orgId = orgOf(template);
    const names = ["a", "b", "c"] as const;
    const made = await Promise.all(
      Array.from({ length: 36 }, (_, n) => {
        const instance = n % 2 === 0 ? click : other;
        if (n % 3 === 0) return acceptConsent(template, { a: true, b: n % 2 === 0 }, {}, instance).then(() => 2);
        const decision = (["GRANT", "DENY", "WITHDRAW"] as const)[n % 3] ?? "GRANT";
        return update(orgId, { [names[n % 3] ?? "c"]: decision }, {}, instance).then(({ receipts }) => receipts.length);
      }),
    );
    const { revision, history, consents } = await read(orgId, { includeHistory: true });
    expect(Number(revision)).toBe(made.reduce((sum, n) => sum + n, 0));
    expect(history).toHaveLength(Number(revision));
    expect(new Set(history.map(({ eventId }) => eventId)).size).toBe(Number(revision));
    // What is read as the state is what came last.
    for (const { purpose, status, updatedAt } of consents) {
      const last = history.find((entry) => entry.purpose === purpose);
      expect([last?.type, isoOf(last?.at)]).toEqual([status, isoOf(updatedAt)]);
    }
    expect(await brokenHistories(click)).toEqual([]);
  });

  test("of those who expect one revision exactly one may change it", async () => {
    const orgId = orgOf(addConsent(["a"]));
    for (let round = 0; round < 10; round += 1) {
      const expectedRevision = (await read(orgId)).revision;
      const outcomes = await Promise.all(
        [click, other, click, other].map((instance) =>
          codeOf(
            update(orgId, { a: "GRANT" }, { expectedRevision }, instance).catch(async (error: unknown) => {
              throw await expectDomainError(Promise.reject(error), "CLICK_CONSENT_CONFLICT");
            }),
          ),
        ),
      );
      expect(outcomes.sort()).toEqual([...Array(3).fill("CLICK_CONSENT_CONFLICT"), "ok"]);
    }
  });
});
