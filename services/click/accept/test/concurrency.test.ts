import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { clientActions, countAcceptances, inconsistentSessions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import {
  accepted,
  acceptOne,
  batchItem,
  type ClickHarness,
  type ClickInstance,
  codeOf,
  rows,
  startClick,
} from "../../test/harness.ts";

let click: ClickHarness;
let other: ClickInstance;
beforeAll(async () => {
  click = await startClick();
  other = await click.startAnother();
});
afterAll(() => click.close());

const { addTemplate, create } = clientActions(() => click);
const createSession = async (template: FakeTemplate) => (await create(template)).id;

describe("concurrent requests", () => {
  test("500 acceptances under 50 keys record 50, and all get the receipt of their key", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const item = (n: number) => ({
      orgId,
      key: `k-${n % 50}`,
      body: { templateId: template.templateId, userRef: `u-${n % 50}` },
    });
    const outcomes = await Promise.all(Array.from({ length: 500 }, (_, n) => acceptOne(click.client, item(n))));
    const byKey = new Map<string, Set<string>>();
    for (const { receipt, receiptJson } of outcomes) {
      const key = receipt.idempotencyKey ?? "";
      byKey.set(key, (byKey.get(key) ?? new Set()).add(receiptJson));
    }
    expect(byKey.size).toBe(50);
    expect([...byKey.values()].every((receipts) => receipts.size === 1)).toBe(true);
    expect(outcomes.filter((outcome) => !outcome.replayed)).toHaveLength(50);
    expect(await countAcceptances(click, orgId)).toBe(50);
  });

  test("two processes with the same keys at once record each key once and answer the same receipt", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const items = Array.from({ length: 400 }, (_, n) =>
      batchItem({ orgId, key: `k-${n}`, body: { templateId: template.templateId, userRef: `u-${n}` } }),
    );
    const chunks = Array.from({ length: 16 }, (_, n) => items.slice(n * 25, n * 25 + 25));
    const send = async ({ client }: ClickInstance, order: typeof chunks) => {
      const answers = await Promise.all(order.map((chunk) => client.acceptBatch({ items: chunk.toReversed() })));
      return answers.flatMap(({ results }) => results.map(accepted));
    };
    const [mine, theirs] = await Promise.all([send(click, chunks), send(other, chunks.toReversed())]);
    const receipts = new Map(mine.map(({ receipt, receiptJson }) => [receipt.idempotencyKey, receiptJson]));
    expect(receipts.size).toBe(400);
    for (const { receipt, receiptJson } of theirs) expect(receiptJson).toBe(receipts.get(receipt.idempotencyKey));
    expect([...mine, ...theirs].filter((one) => !one.replayed)).toHaveLength(400);
    expect(await countAcceptances(click, orgId)).toBe(400);
  });

  test("the same key with another body: one is recorded and the other refused", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    for (let round = 0; round < 25; round += 1) {
      const accept = ({ client }: ClickInstance, userRef: string) =>
        codeOf(acceptOne(client, { orgId, key: `k-${round}`, body: { templateId: template.templateId, userRef } }));
      const outcomes = await Promise.all([
        accept(click, "a"),
        accept(click, "b"),
        accept(other, "c"),
        accept(other, "d"),
      ]);
      expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === "CLICK_IDEMPOTENCY_KEY_REUSED")).toHaveLength(3);
    }
    expect(await countAcceptances(click, orgId)).toBe(25);
  });

  test("two keys that race for one session in two processes: exactly one gets it", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    for (let round = 0; round < 40; round += 1) {
      const sessionId = await createSession(template);
      const accept = ({ client }: ClickInstance, n: number) =>
        codeOf(acceptOne(client, { orgId, key: `${sessionId}-${n}`, body: { sessionId } }));
      const outcomes = await Promise.all([accept(click, 1), accept(other, 2), accept(click, 3), accept(other, 4)]);
      expect(outcomes.sort()).toEqual([...Array(3).fill("CLICK_SESSION_CLOSED"), "ok"]);
    }
    expect(await inconsistentSessions(click, orgId)).toEqual([]);
  });

  test("one key for two sessions in two processes: no session is accepted without an acceptance", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    for (let round = 0; round < 40; round += 1) {
      const sessions = await Promise.all([createSession(template), createSession(template)]);
      const accept = ({ client }: ClickInstance, sessionId: string) =>
        codeOf(acceptOne(client, { orgId, key: `round-${round}`, body: { sessionId } }));
      const outcomes = await Promise.all([accept(click, sessions[0]), accept(other, sessions[1])]);
      expect(outcomes.sort()).toEqual(["CLICK_IDEMPOTENCY_KEY_REUSED", "ok"]);
    }
    expect(await inconsistentSessions(click, orgId)).toEqual([]);
    expect(await countAcceptances(click, orgId)).toBe(40);
  });

  test("many keys over few sessions in batches of two processes stay consistent and free of deadlocks", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const sessions = await Promise.all(Array.from({ length: 30 }, () => createSession(template)));
    const pick = (n: number) => sessions[(n * 7919) % sessions.length] as string;
    const batch = (seed: number) =>
      Array.from({ length: 40 }, (_, n) =>
        batchItem({ orgId, key: `k-${(seed * 37 + n) % 90}`, body: { sessionId: pick(seed + n) } }),
      );
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, n) => (n % 2 === 0 ? click : other).client.acceptBatch({ items: batch(n) })),
    );
    const codes = new Set(
      answers.flatMap(({ results }) =>
        results.map(({ outcome }) => (outcome.case === "error" ? outcome.value.errorCode : "ok")),
      ),
    );
    expect([...codes].sort()).toEqual(["CLICK_IDEMPOTENCY_KEY_REUSED", "CLICK_SESSION_CLOSED", "ok"]);
    expect(await inconsistentSessions(click, orgId)).toEqual([]);
    expect(await countAcceptances(click, orgId)).toBe(30);
  });

  test("every acceptance has exactly one event", async () => {
    const [row] = await rows<{ acceptances: number; events: number }>(
      click,
      `select (select count(*)::int from click.acceptance) as acceptances,
              (select count(distinct data::json #>> '{acceptanceRecorded,receiptId}')::int from click.outbox
               where subject = 'assent.click.acceptance.recorded') as events`,
    );
    expect(row?.events).toBe(row?.acceptances);
  });
});
