import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { EventJson } from "#gen/assent/events/v1/events_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { verifyInclusion } from "#platform/transparency/verify.ts";
import { poolThatDies, type When } from "../../accept/test/dying-pool.ts";
import { newOrg } from "../../test/harness.ts";
import { type Anchoring, findAnchoring } from "../anchor-store.ts";
import { type AnchorDeps, anchorRound } from "../create-log-workers.ts";
import { anchorLogId, leafHashOf } from "../leaf.ts";
import { type LogHarness, readCheckpoints, startLogs, verifyLog } from "./log-harness.ts";

const intervalSeconds = 60;
let logs: LogHarness;
let deps: AnchorDeps;
beforeAll(async () => {
  logs = await startLogs();
  const { deps: common, logger } = logs;
  deps = { ...common, logger, newId, intervalMs: intervalSeconds * 1000, onPublished: () => undefined };
});
afterAll(() => logs.close());

/** A log with so many leaves more, and a checkpoint over them. */
async function grow(orgId: OrgId, leaves = 1): Promise<void> {
  await logs.append(orgId, leaves);
  await logs.integrate(orgId);
}

async function nextRound(): Promise<void> {
  logs.clock.advance(intervalSeconds);
  await anchorRound(deps);
}

const anchoringOf = (orgId: OrgId, leafIndex: number): Promise<Anchoring | undefined> =>
  withOrg(logs.pool, orgId, (tenant) => findAnchoring(tenant, leafIndex));

/** Throws unless the anchor log proves that the checkpoint is in it. */
async function verifyAnchoring(anchoring: Anchoring | undefined): Promise<void> {
  if (anchoring === undefined) throw new Error("it is not anchored");
  const { anchorIndex, anchorCheckpoint, checkpoint } = anchoring;
  const published = await readCheckpoints(logs, anchorLogId);
  const { size, root } = published.find(({ note }) => note === anchorCheckpoint.note) ?? { size: 0, root: Buffer.of() };
  expect(size).toBe(anchorCheckpoint.size);
  const leaf = leafHashOf(hash("sha256", checkpoint.note, "buffer"));
  const { path } = await logs.proofs.anchorInclusion(anchorIndex, size);
  expect(verifyInclusion(anchorIndex, size, leaf, path, root)).toBe(true);
}

async function eventsOf(orgId: OrgId): Promise<EventJson[]> {
  const { rows } = await logs.superuser.query<{ data: string }>(
    `select data from click.outbox where organization_id = $1 and subject = 'assent.click.anchor.published'
     order by position`,
    [orgId],
  );
  return rows.map(({ data }) => JSON.parse(data) as EventJson);
}

const anchorSize = async (): Promise<number> => (await readCheckpoints(logs, anchorLogId)).at(-1)?.size ?? 0;

describe("a round of anchoring", () => {
  test("puts the newest checkpoint of every log that has grown into the anchor log, and proves it", async () => {
    const orgs = [newOrg(), newOrg(), newOrg()];
    for (const orgId of orgs) await grow(orgId, 2);
    await grow(orgs[0] as OrgId);
    expect(await anchoringOf(orgs[0] as OrgId, 0)).toBeUndefined();
    const before = await anchorSize();
    await nextRound();
    expect(await anchorSize()).toBe(before + 3);
    await verifyLog(logs, anchorLogId);
    for (const [n, orgId] of orgs.entries()) {
      const anchoring = await anchoringOf(orgId, 0);
      expect(anchoring).toMatchObject({ checkpoint: { size: n === 0 ? 3 : 2 }, token: null, tsaName: null });
      expect(anchoring?.checkpoint.note).toBe((await readCheckpoints(logs, orgId)).at(-1)?.note);
      await verifyAnchoring(anchoring);
    }
    expect((await readCheckpoints(logs, anchorLogId)).at(-1)?.note).toMatch(
      /^logs\.example\.com\/click\/log\/anchor\n/,
    );
  });
  test("does nothing when nothing has grown, and waits until it is time", async () => {
    const orgId = newOrg();
    await grow(orgId);
    await nextRound();
    const size = await anchorSize();
    await nextRound();
    expect(await anchorSize()).toBe(size);
    await grow(orgId);
    await nextRound();
    await grow(orgId);
    logs.clock.advance(intervalSeconds / 2);
    await anchorRound(deps);
    expect(await anchorSize()).toBe(size + 1);
    await nextRound();
    expect(await anchorSize()).toBe(size + 2);
  });
  test("does not wait for a clock that was ahead", async () => {
    const orgId = newOrg();
    logs.clock.advance(3_600);
    await grow(orgId);
    await nextRound();
    logs.clock.advance(-3_600);
    await grow(orgId);
    const size = await anchorSize();
    await nextRound();
    expect(await anchorSize()).toBe(size + 1);
  });
  test("tells each organization of its checkpoint, so that whoever keeps the event is a witness", async () => {
    const [orgId, idle] = [newOrg(), newOrg()];
    await grow(orgId);
    let published = 0;
    logs.clock.advance(intervalSeconds);
    const onPublished = (): void => {
      published += 1;
    };
    await anchorRound({ ...deps, onPublished });
    expect(published).toBe(1);
    const anchoring = await anchoringOf(orgId, 0);
    expect(await eventsOf(orgId)).toMatchObject([
      {
        subject: "assent.click.anchor.published",
        organizationId: orgId,
        aggregateId: orgId,
        anchorPublished: {
          checkpoint: anchoring?.checkpoint.note,
          anchorIndex: String(anchoring?.anchorIndex),
          anchorCheckpoint: anchoring?.anchorCheckpoint.note,
        },
      },
    ]);
    expect(await eventsOf(idle)).toEqual([]);
  });
  test("finds the first anchored checkpoint that covers a leaf", async () => {
    const orgId = newOrg();
    for (const leaves of [2, 3]) {
      await grow(orgId, leaves);
      await nextRound();
    }
    await grow(orgId);
    const sizes = await Promise.all(
      [0, 1, 2, 4].map(async (index) => (await anchoringOf(orgId, index))?.checkpoint.size),
    );
    expect(sizes).toEqual([2, 2, 5, 5]);
    expect(await anchoringOf(orgId, 5)).toBeUndefined();
    for (const index of [0, 4]) await verifyAnchoring(await anchoringOf(orgId, index));
  });
  test("tells no organization of the anchors of others", async () => {
    const [orgId, other] = [newOrg(), newOrg()];
    await grow(orgId);
    await nextRound();
    const seen = await withOrg(logs.pool, other, async (tenant) => [
      await findAnchoring({ ...tenant, orgId }, 0),
      (await tenant.client.query("select from click.anchor")).rowCount,
    ]);
    expect(seen).toEqual([undefined, 0]);
  });
  test("signs nothing when the anchor log contradicts itself, and says so", async () => {
    const orgId = newOrg();
    await grow(orgId);
    const size = await anchorSize();
    const gauge = async () =>
      (await logs.metrics.logsRefused.get()).values.find(({ labels }) => labels.log === "anchor");
    await logs.superuser.query("update click.log_head set size = size + 1 where organization_id = $1", [anchorLogId]);
    await nextRound();
    expect(await anchorSize()).toBe(size);
    expect((await gauge())?.value).toBe(1);
    await logs.superuser.query(
      `with gone as (delete from click.anchor where organization_id = $2)
       delete from click.log_leaf where organization_id = $1 and leaf_index > $3`,
      [anchorLogId, orgId, size],
    );
    await logs.superuser.query("update click.log_head set size = $2 where organization_id = $1", [anchorLogId, size]);
    await logs.superuser.query("update click.log_tree set anchored_size = 0 where organization_id = $1", [orgId]);
    await nextRound();
    expect((await gauge())?.value).toBe(0);
    await verifyAnchoring(await anchoringOf(orgId, 0));
  });
});

describe("several processes", () => {
  test("anchor a checkpoint once, however many of them try at the same time", async () => {
    const orgId = newOrg();
    for (let n = 1; n <= 8; n += 1) {
      await grow(orgId);
      const size = await anchorSize();
      logs.clock.advance(intervalSeconds);
      await Promise.all([1, 2, 3, 4].map(() => anchorRound(deps)));
      expect(await anchorSize()).toBe(size + 1);
    }
    expect(await eventsOf(orgId)).toHaveLength(8);
    await verifyLog(logs, anchorLogId);
  });
  test("anchor while integrators go on publishing", async () => {
    const orgs = [newOrg(), newOrg()];
    let isGrowing = true;
    const integrate = async (orgId: OrgId): Promise<void> => {
      for (let n = 0; n < 25; n += 1) await grow(orgId);
    };
    const anchor = async (): Promise<void> => {
      while (isGrowing) await nextRound();
    };
    const growing = Promise.all(orgs.map(integrate)).then(() => {
      isGrowing = false;
    });
    await Promise.all([growing, anchor(), anchor()]);
    await nextRound();
    await verifyLog(logs, anchorLogId);
    for (const orgId of orgs) await verifyAnchoring(await anchoringOf(orgId, 24));
  });
});

describe("a round that is cut off", () => {
  test.each(["before", "after"] as const)(
    "%s any statement is taken up by the next: one anchor and one event for each checkpoint",
    async (when: When) => {
      let isDead = true;
      for (let statement = 1; isDead; statement += 1) {
        const orgs = [newOrg(), newOrg()];
        for (const orgId of orgs) await grow(orgId);
        const dying = poolThatDies(logs.integratorPool, logs.superuser, { statement, when });
        logs.clock.advance(intervalSeconds);
        const outcome = await anchorRound({ ...deps, pool: dying.pool }).catch((error: unknown) => error);
        isDead = dying.hasDied();
        expect(outcome instanceof Error).toBe(isDead);
        await nextRound();
        for (const orgId of orgs) {
          await verifyAnchoring(await anchoringOf(orgId, 0));
          expect(await eventsOf(orgId)).toHaveLength(1);
        }
      }
      await verifyLog(logs, anchorLogId);
      const { rows } = await logs.superuser.query(
        `select count(*)::int - count(distinct organization_id)::int as twice from click.anchor
         where checkpoint_size = 1`,
      );
      expect(rows).toEqual([{ twice: 0 }]);
    },
    60_000,
  );
});
