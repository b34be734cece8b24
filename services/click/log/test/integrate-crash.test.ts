import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { withTransaction } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import { poolThatDies, type When } from "../../accept/test/dying-pool.ts";
import { newOrg } from "../../test/harness.ts";
import { integrateLog } from "../integrate-log.ts";
import { publishTree } from "../integrate-store.ts";
import { type LogHarness, readCheckpoints, startLogs, verifyLog } from "./log-harness.ts";

let logs: LogHarness;
beforeAll(async () => {
  logs = await startLogs();
});
afterAll(() => logs.close());

const tables = ["log_tree", "log_tile", "log_checkpoint"];

const state = (orgId: string): Promise<unknown[]> =>
  Promise.all(
    tables.map(
      async (table) =>
        (
          await logs.superuser.query(`select * from click.${table} where organization_id = $1 order by 1, 2, 3`, [
            orgId,
          ])
        ).rows,
    ),
  );

/** A log with a tree of 300 leaves and more to come, or one that has none yet. */
async function growingLog(hasTree: boolean): Promise<OrgId> {
  const orgId = newOrg();
  if (hasTree) {
    await logs.append(orgId, 300);
    await logs.integrate(orgId);
  }
  await logs.append(orgId, 400);
  return orgId;
}

describe("an integrator whose connection is killed", () => {
  test.each([
    ["before", true],
    ["before", false],
    ["after", true],
    ["after", false],
  ] as const)(
    "%s any statement of its transaction leaves a tree that the next run finishes (tree: %s)",
    async (when, hasTree) => {
      // begin, lock (and make), read, publish, commit
      const statements = hasTree ? 5 : 6;
      for (let statement = 1; statement <= statements; statement += 1) {
        const orgId = await growingLog(hasTree);
        const before = await state(orgId);
        await expect(integrateLog(dyingDeps(statement, when), orgId)).rejects.toThrow();
        const isCommitted = when === "after" && statement === statements;
        if (!isCommitted) expect(await state(orgId)).toEqual(before);
        expect(await integrateLog(logs.deps, orgId)).toMatchObject({ kind: isCommitted ? "current" : "published" });
        expect((await verifyLog(logs, orgId)).map(({ size }) => size)).toEqual(hasTree ? [300, 700] : [400]);
      }
      const orgId = await growingLog(hasTree);
      expect(await integrateLog(dyingDeps(statements + 1, when), orgId)).toMatchObject({ kind: "published" });
    },
  );

  const dyingDeps = (statement: number, when: When) => ({
    ...logs.deps,
    pool: poolThatDies(logs.integratorPool, logs.superuser, { statement, when }).pool,
  });

  test.each(tables)("in the middle of publishing, when it writes to %s, leaves everything as it was", async (table) => {
    await logs.superuser.query(`
      create or replace function public.die() returns trigger language plpgsql security definer as $$
      begin
        perform pg_terminate_backend(pg_backend_pid());
        perform pg_sleep(20);
        return new;
      end $$;
      create trigger die before insert or update on click.${table} for each row execute function public.die()`);
    const orgId = await growingLog(false);
    const before = await state(orgId);
    const error = await integrateLog(logs.deps, orgId).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "57P01" });
    await logs.superuser.query(`drop trigger die on click.${table}`);
    expect(await state(orgId)).toEqual(before);
    await logs.integrate(orgId);
    await verifyLog(logs, orgId);
  });
});

describe("two integrators at once", () => {
  test("never publish two roots for one size, however often they meet while leaves come", async () => {
    const orgId = newOrg();
    const second = { ...logs.deps };
    let isWriting = true;
    const write = async (): Promise<void> => {
      for (let round = 0; round < 60; round += 1) await logs.append(orgId, 1 + ((round * 37) % 50));
      isWriting = false;
    };
    const published: number[] = [];
    const work = async (deps: typeof second): Promise<void> => {
      while (isWriting) {
        const outcome = await integrateLog(deps, orgId);
        if (outcome.kind === "published") published.push(outcome.checkpoint.size);
      }
    };
    await Promise.all([write(), work(logs.deps), work(second), work(second)]);
    await logs.integrate(orgId);
    const checkpoints = await verifyLog(logs, orgId);
    expect(published.length).toBeGreaterThan(10);
    expect(new Set(published).size).toBe(published.length);
    expect(checkpoints.map(({ size }) => size)).toEqual(expect.arrayContaining(published));
  });
  test("make the first tree of a log once", async () => {
    for (let round = 0; round < 20; round += 1) {
      const orgId = newOrg();
      await logs.append(orgId, 2);
      const outcomes = await Promise.all([1, 2, 3].map(() => integrateLog(logs.deps, orgId)));
      expect(outcomes.filter(({ kind }) => kind === "published")).toHaveLength(1);
      expect(await readCheckpoints(logs, orgId)).toHaveLength(1);
    }
  });
  test("without the lock, the second finds that the tree is another one by now, and writes nothing", async () => {
    const orgId = newOrg();
    await logs.append(orgId, 4);
    await logs.integrate(orgId);
    const [tree] = await verifyLog(logs, orgId);
    const before = { size: 4, root: tree?.root as Buffer };
    const publish = (client: pg.ClientBase, fill: number): Promise<boolean> => {
      const root = Buffer.alloc(32, fill);
      const after = { size: 5, root, frontier: Buffer.alloc(64, fill) };
      const tiles = [{ level: 0, tile: 0, hashes: Buffer.alloc(160, fill) }];
      return publishTree(client, orgId, { before, after, tiles, note: `note ${fill}`, now: logs.clock.now() });
    };
    const outcomes = await Promise.all(
      [1, 2, 3].map((fill) => withTransaction(logs.integratorPool, (client) => publish(client, fill))),
    );
    expect(outcomes.sort()).toEqual([false, false, true]);
    const notes = await logs.superuser.query(
      'select note, (select root from click.log_tree t where t.organization_id = $1) = root as "isTree" from click.log_checkpoint where organization_id = $1 and size = 5',
      [orgId],
    );
    expect(notes.rows).toEqual([{ note: expect.stringMatching(/^note [123]$/), isTree: true }]);
  });
  test("one that finds the log taken leaves it alone instead of waiting", async () => {
    const orgId = newOrg();
    await logs.append(orgId, 1);
    await logs.integrate(orgId);
    await logs.append(orgId, 1);
    await withTransaction(logs.integratorPool, async (client) => {
      await client.query("select from click.log_tree where organization_id = $1 for update", [orgId]);
      expect(await integrateLog(logs.deps, orgId)).toEqual({ kind: "busy" });
    });
    expect(await integrateLog(logs.deps, orgId)).toMatchObject({ kind: "published" });
  });
});
