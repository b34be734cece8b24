import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { withOrg } from "#platform/db/pool.ts";
import { until } from "#platform/testing/until.ts";
import { shareCounting } from "../../stats/stat-store.ts";
import { readStats, settled, startWorkers } from "../../stats/test/stats-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { type ClickHarness, rows, startClick } from "../../test/harness.ts";
import { createKeyHasher } from "../../vault/subject-vault.ts";
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

const { addTemplate, acceptTemplate } = clientActions(() => click);
const { erase } = erasureActions(() => click);

/** Who is counted, as far as the user reference leads to it. */
async function usersOf(template: FakeTemplate, userRef: string) {
  const userKey = createKeyHasher(() => click.masterKey).userKey(template.organizationId, userRef);
  const found = await rows<{ key: Buffer }>(
    click,
    "select user_key as key from click.stat_user where organization_id = $1",
    [template.organizationId],
  );
  return { users: found.length, known: found.filter(({ key }) => key.equals(userKey)).length };
}

async function countAll(template: FakeTemplate): Promise<void> {
  const stop = await startWorkers(click);
  await settled(click, orgOf(template));
  await stop();
}

describe("the statistics", () => {
  test.each([
    ["erased", {}],
    ["restricted", { retentionDays: 30 }],
  ])("count an acceptance that is %s before it is counted, as that of somebody unknown", async (_, policyFlags) => {
    const template = addTemplate({ policyFlags });
    for (const userRef of ["ann", "ann", "bob"]) await acceptTemplate(template, { userRef });
    await erase(orgOf(template), "ann");
    await countAll(template);
    expect(await usersOf(template, "ann")).toEqual({ users: 2, known: 0 });
    expect(await usersOf(template, "bob")).toEqual({ users: 2, known: 1 });
    expect(await readStats(click, template)).toMatchObject({ acceptances: { total: 3, uniqueUsers: 2 } });
  });

  test("count whoever comes back", async () => {
    const template = addTemplate();
    await acceptTemplate(template, { userRef: "ann" });
    await erase(orgOf(template), "ann");
    await acceptTemplate(template, { userRef: "ann" });
    await countAll(template);
    expect(await usersOf(template, "ann")).toEqual({ users: 2, known: 1 });
  });

  test("make an erasure wait for what they are counting", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    await acceptTemplate(template, { userRef: "ann" });
    const [locked, counted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const counting = withOrg(parts.deps.pool, orgId, async (tenant) => {
      await shareCounting(tenant);
      locked.resolve();
      await counted.promise;
    });
    await locked.promise;
    const erasing = erase(orgId, "ann");
    await until(async () => {
      const waiting = await rows(
        click,
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'",
      );
      return waiting.length === 1;
    });
    counted.resolve();
    await counting;
    expect((await erasing).erased.receipts).toHaveLength(1);
  });
});
