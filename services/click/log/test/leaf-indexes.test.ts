import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { recordAcceptances } from "../../accept/record-statement.ts";
import { createRecorder } from "../../accept/recorder.ts";
import { poolThatDies } from "../../accept/test/dying-pool.ts";
import {
  kinds,
  newLeaf,
  newRecord,
  newSession,
  receiptDeps,
  recorderPool,
  startRecorder,
  submit,
  times,
} from "../../accept/test/record-fixtures.ts";
import { clientActions, countAcceptances, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import {
  type Accepted,
  accepted,
  as,
  batchItem,
  type ClickHarness,
  type ClickInstance,
  newOrg,
  rows,
  startClick,
} from "../../test/harness.ts";

let click: ClickHarness;
let other: ClickInstance;
let pool: pg.Pool;
beforeAll(async () => {
  click = await startClick();
  other = await click.startAnother();
  pool = recorderPool(click);
});
afterAll(async () => {
  await pool.end();
  await click.close();
});

const { addTemplate } = clientActions(() => click);

interface LogRow {
  readonly recordId: string;
  readonly index: number;
}

const logOf = (orgId: OrgId) =>
  rows<LogRow>(
    click,
    `select record_id as "recordId", leaf_index::integer as index from click.log_leaf
     where organization_id = $1 order by leaf_index`,
    [orgId],
  );

const sizeOf = async (orgId: OrgId): Promise<number> => {
  const sql = "select size::integer as size from click.log_head where organization_id = $1";
  return (await rows<{ size: number }>(click, sql, [orgId]))[0]?.size ?? 0;
};

/** Fails unless indexes go from 0 without a gap, and each acceptance has exactly the leaf that its receipt names. */
async function expectOneLeafEach(orgId: OrgId, answers: readonly Accepted[]): Promise<void> {
  const log = await logOf(orgId);
  expect(log.map(({ index }) => index)).toEqual(times(log.length));
  expect(await sizeOf(orgId)).toBe(log.length);
  expect(await countAcceptances(click, orgId)).toBe(log.length);
  const indexes = new Map(log.map(({ recordId, index }) => [recordId, index]));
  for (const { receipt } of answers) expect(receipt.log.leafIndex).toBe(indexes.get(receipt.receiptId));
}

const itemsOf = (template: FakeTemplate, keys: readonly number[]) =>
  keys.map((n) =>
    batchItem({
      orgId: orgOf(template),
      key: `key-${n}`,
      body: { templateId: template.templateId, userRef: `user-${n}` },
    }),
  );

describe("indexes of leaves", () => {
  test("1,000 keys fired at two processes at once: one row, one leaf and one receipt for each", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const items = itemsOf(template, times(1_000));
    const chunks = times(20).map((n) => items.slice(n * 50, n * 50 + 50));
    const send = async ({ client }: ClickInstance, order: typeof chunks): Promise<Accepted[]> => {
      const answers = await Promise.all(order.map((chunk) => client.acceptBatch({ items: chunk })));
      return answers.flatMap(({ results }) => results.map(accepted));
    };
    const answers = (await Promise.all([send(click, chunks), send(other, chunks.toReversed())])).flat();
    expect(answers).toHaveLength(2_000);
    expect(new Set(answers.map(({ receiptJson }) => receiptJson)).size).toBe(1_000);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1_000);
    await expectOneLeafEach(orgId, answers);
    expect(await sizeOf(orgId)).toBe(1_000);
  });

  test("one key fired 1,000 times at two processes at once: one row, one leaf and one receipt", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const send = ({ client }: ClickInstance) =>
      Promise.all(
        times(500).map(async () => accepted((await client.acceptBatch({ items: itemsOf(template, [1]) })).results[0])),
      );
    const answers = (await Promise.all([send(click), send(other)])).flat();
    expect(new Set(answers.map(({ receiptJson }) => receiptJson)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    await expectOneLeafEach(orgId, answers);
    expect(await sizeOf(orgId)).toBe(1);
  });

  test("batches over several organizations in two processes leave no gap in any log", async () => {
    const templates = times(5).map(() => addTemplate());
    const mixed = (round: number) => templates.flatMap((one, n) => itemsOf(one, [round * 10 + n, round * 10 + n + 1]));
    const answers = await Promise.all(
      times(40).map((round) => (round % 2 === 0 ? click : other).client.acceptBatch({ items: mixed(round) })),
    );
    const receipts = answers.flatMap(({ results }) => results.map(accepted));
    for (const template of templates) {
      const mine = receipts.filter(({ receipt }) => receipt.organizationId === template.organizationId);
      await expectOneLeafEach(orgOf(template), mine);
    }
  });

  test("a statement that fails leaves no gap", async () => {
    const orgId = newOrg();
    await recordAcceptances(pool, [newRecord({ orgId }), newRecord({ orgId })]);
    const sessionId = await newSession(click, orgId);
    const twice = [newRecord({ orgId, sessionId }), newRecord({ orgId, sessionId }), newRecord({ orgId })];
    await expect(recordAcceptances(pool, twice)).rejects.toMatchObject({ code: "CK001" });
    const unfit = newRecord({ orgId }, { events: [{ eventId: "", organizationId: orgId, subject: "", data: "" }] });
    await expect(recordAcceptances(pool, [unfit])).rejects.toThrow();
    const indexes = await recordAcceptances(pool, [newRecord({ orgId })]);
    expect([...indexes.values()]).toEqual([{ leafIndex: 2, epoch: null }]);
    expect((await logOf(orgId)).map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  test("what is not inserted takes no index", async () => {
    const orgId = newOrg();
    const first = newRecord({ orgId, key: "k" });
    await recordAcceptances(pool, [first]);
    const records = [newRecord({ orgId, key: "k" }), newRecord({ orgId }), newRecord({ orgId, key: "k" })];
    expect([...(await recordAcceptances(pool, records)).values()]).toEqual([{ leafIndex: 1, epoch: null }]);
    expect(await sizeOf(orgId)).toBe(2);
  });

  test("leaves stand in the order of the batch, those of one acceptance together", async () => {
    const orgId = newOrg();
    const [a, b] = [newRecord({ orgId }), newRecord({ orgId })];
    const completion = newLeaf(newRecord({ orgId }).receiptId);
    const indexes = await recordAcceptances(pool, [{ ...a, leaves: [a.leaves[0], completion] }, b]);
    expect((await logOf(orgId)).map(({ recordId }) => recordId)).toEqual([
      a.receiptId,
      completion.recordId,
      b.receiptId,
    ]);
    expect([indexes.get(a.receiptId)?.leafIndex, indexes.get(b.receiptId)?.leafIndex]).toEqual([0, 2]);
  });

  test("a leaf whose hash or signature has another length is not taken", async () => {
    const orgId = newOrg();
    const [record, short] = [newRecord({ orgId }), Buffer.alloc(31)];
    const [leaf] = record.leaves;
    await expect(recordAcceptances(pool, [{ ...record, leaves: [{ ...leaf, leafHash: short }] }])).rejects.toThrow();
    await expect(recordAcceptances(pool, [{ ...record, leaves: [{ ...leaf, signature: short }] }])).rejects.toThrow();
    expect(await sizeOf(orgId)).toBe(0);
  });
});

describe("an answer that is lost", () => {
  const logger = createLogger("test", "silent");

  test.each(["before", "after"] as const)("%s the commit: the retry gets one receipt, of one leaf", async (when) => {
    const orgId = newOrg();
    const dying = poolThatDies(pool, click.superuser, { statement: 1, when });
    const first = createRecorder({ ...receiptDeps, pool: dying.pool, logger, onRecorded: () => {} });
    const tries = times(3).map(() => newRecord({ orgId, key: "k", body: "b" }));
    const [lost, ...retries] = tries;
    const outcome = await Promise.all(first.submit(lost === undefined ? [] : [lost]));
    expect(kinds(outcome)).toEqual(["SERVICE_UNAVAILABLE"]);
    expect(dying.hasDied()).toBe(true);
    const answers = [];
    for (const record of retries) answers.push(...(await submit(startRecorder(pool), [record])));
    expect(kinds(answers)).toEqual(when === "after" ? ["replayed", "replayed"] : ["recorded", "replayed"]);
    expect(answers[0]).toEqual({ ...answers[1], kind: answers[0]?.kind });
    const [only] = await logOf(orgId);
    const recorded = when === "after" ? lost : retries[0];
    expect(only).toEqual({ recordId: recorded?.receiptId, index: 0 });
    expect(await sizeOf(orgId)).toBe(1);
  });

  test("is what any reader gets as well", async () => {
    const template = addTemplate();
    const [answer] = (await click.client.acceptBatch({ items: itemsOf(template, [1]) })).results.map(accepted);
    const { receiptJson } = await other.client.getReceipt(
      { receiptId: answer?.receipt.receiptId ?? "" },
      as(orgOf(template)),
    );
    expect(receiptJson).toBe(answer?.receiptJson);
  });
});
