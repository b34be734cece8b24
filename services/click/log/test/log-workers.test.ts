import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { OrgId } from "#platform/ids.ts";
import type { Worker } from "#platform/periodic.ts";
import { until } from "#platform/testing/until.ts";
import { acceptOne, type ClickHarness, rows, startClick } from "../../test/harness.ts";

let click: ClickHarness;
const started: Worker[] = [];
beforeAll(async () => {
  click = await startClick();
});
afterAll(async () => {
  for (const worker of started) await worker.stop();
  await click.close();
});

async function start(name: string): Promise<void> {
  const worker = click.service.workers.find((one) => one.name === name);
  if (worker === undefined) throw new Error(`there is no worker ${name}`);
  started.push(worker);
  await worker.start();
}

describe("the service", () => {
  test("publishes a checkpoint over what it recorded within seconds, anchors it, and tells so", async () => {
    await start("integrator click");
    const template = click.templates.add("b9a3c1de-0000-4000-8000-000000000001" as OrgId);
    const orgId = template.organizationId as OrgId;
    await acceptOne(click.client, { orgId, key: "k-1", body: { templateId: template.templateId, userRef: "u-1" } });
    const startedAt = performance.now();
    const checkpoint = await until(async () => {
      const found = await rows<{ note: string }>(
        click,
        "select note from click.log_checkpoint where organization_id = $1 and size = 1",
        [orgId],
      );
      return found[0]?.note;
    });
    // Sooner than the look at all logs would have found it.
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    await start("anchor click");
    const data = await until(async () => {
      const found = await rows<{ data: string }>(
        click,
        "select data from click.outbox where organization_id = $1 and subject = 'assent.click.anchor.published'",
        [orgId],
      );
      return found[0]?.data;
    });
    expect(JSON.parse(data)).toMatchObject({ anchorPublished: { checkpoint, anchorIndex: "0" } });
  });
});
