import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { BatchStatus, DocumentStatus } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { terminateSessions } from "#platform/testing/database.ts";
import { until } from "#platform/testing/until.ts";
import { expectConsistent, listItems, namesUpTo, submit, untilEnded } from "./batch-harness.ts";
import { createCustomer, usedOf } from "./document-harness.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { createFakeRenderer } from "./fake-renderer.ts";
import { type DocgenHarness, present, startDocgen } from "./harness.ts";

let harness: DocgenHarness;
beforeEach(async () => {
  harness = await startDocgen({ renderer: createFakeRenderer(0), checker: createFakeChecker(), work: { pollMs: 10 } });
});
afterEach(() => harness.stop());

async function startRendering(size: number) {
  const renderer = createFakeRenderer(size);
  const process = await harness.another({ renderer });
  await process.startWorkers();
  return { renderer, process };
}

describe("a batch on several processes", () => {
  test("ends once when its last items end at the same time", async () => {
    const processes = [await startRendering(1), await startRendering(1), await startRendering(1)];
    for (let round = 0; round < 10; round += 1) {
      for (const { renderer } of processes) renderer.hold();
      const customer = await createCustomer(harness);
      const { organization } = customer;
      const { batch } = await submit(customer, namesUpTo(3));
      const batchId = present(batch).id;
      await until(async () => (await listItems(organization, batchId, DocumentStatus.RENDERING)).length === 3);
      for (const { renderer } of processes) renderer.letGo();
      expect((await untilEnded(organization, batchId)).status).toBe(BatchStatus.COMPLETED);
      await expectConsistent(harness, organization, batchId);
    }
  });

  test("renders each item once, and also 500 of them", async () => {
    const processes = [await startRendering(4), await startRendering(4)];
    const customer = await createCustomer(harness);
    const { organization } = customer;
    const { batch } = await submit(customer, namesUpTo(500));
    const ended = await untilEnded(organization, present(batch).id, 60_000);
    expect(ended).toMatchObject({ status: BatchStatus.COMPLETED, completed: 500 });
    expect(processes.flatMap(({ renderer }) => renderer.jobs).length).toBe(500);
    await expectConsistent(harness, organization, ended.id);
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 1, minute: 0 });
  });

  test("loses nothing and counts nothing twice while transactions are broken off", async () => {
    await startRendering(4);
    await startRendering(4);
    const customer = await createCustomer(harness);
    const { organization } = customer;
    const { batch } = await submit(customer, namesUpTo(150));
    const batchId = present(batch).id;
    for (const reached of [10, 40, 80]) {
      await until(async () => {
        const { rows } = await harness.superuser.query<{ completed: number }>(
          "select completed from docgen.batch where id = $1",
          [batchId],
        );
        return present(rows[0]).completed >= reached;
      });
      await terminateSessions(harness.database, "docgen");
    }
    await until(async () => {
      const { rows } = await harness.superuser.query("select from docgen.batch where id = $1 and completed = 150", [
        batchId,
      ]);
      return rows.length === 1;
    });
    await expectConsistent(harness, organization, batchId);
  });
});

describe("a large batch", () => {
  test("does not hold up the single documents or the batches of others", async () => {
    const large = await createCustomer(harness);
    const others = [await createCustomer(harness), await createCustomer(harness)];
    const { renderer } = await startRendering(3);
    renderer.hold();
    const { batch } = await submit(large, namesUpTo(500));
    await until(() => renderer.jobs.length === 2);
    const [first, second] = [present(others[0]), present(others[1])];
    const single = await first.ask();
    const small = await submit(second, namesUpTo(3));
    renderer.letGo();
    await untilEnded(second.organization, present(small.batch).id);
    await until(async () => {
      const { document } = await first.organization.getDocument({ documentId: single.id });
      return document?.status === DocumentStatus.COMPLETED;
    });
    const order = await orderOfStart();
    // Two were being rendered already, and two more may have been chosen while the others were submitted.
    expect(order.indexOf(single.id)).toBeLessThanOrEqual(4);
    const smallIds = (await listItems(second.organization, present(small.batch).id)).map(
      ({ document }) => document?.id,
    );
    // The two batches take turns.
    expect(Math.max(...smallIds.map((id) => order.indexOf(id ?? "")))).toBeLessThanOrEqual(4 + 2 * 3);
    await large.organization.cancelBatch({ batchId: present(batch).id });
  });
});

/** Ids in the order in which they were begun. */
async function orderOfStart(): Promise<string[]> {
  const { rows } = await harness.superuser.query<{ id: string }>(
    "select id from docgen.document where started_at is not null order by started_at",
  );
  return rows.map(({ id }) => id);
}
