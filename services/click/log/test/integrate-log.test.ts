import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newId } from "#platform/ids.ts";
import { appendHashes, emptyFrontier, rootOf } from "#platform/transparency/merkle.ts";
import { newOrg } from "../../test/harness.ts";
import { integrateLog, LogMismatchError, maxLeaves } from "../integrate-log.ts";
import { logOrigin } from "../leaf.ts";
import { type LogHarness, readCheckpoints, startLogs, verifyLog } from "./log-harness.ts";

let logs: LogHarness;
beforeAll(async () => {
  logs = await startLogs();
});
afterAll(() => logs.close());

/** The root of the tree over the leaf hashes as they are recorded. */
async function rootOfLeaves(orgId: string): Promise<Buffer> {
  const { rows } = await logs.superuser.query<{ hash: Buffer }>(
    "select leaf_hash as hash from click.log_leaf where organization_id = $1 order by leaf_index",
    [orgId],
  );
  return rootOf(
    appendHashes(
      emptyFrontier,
      rows.map(({ hash }) => hash),
    ),
  );
}

describe("integrateLog", () => {
  test("publishes a signed checkpoint over all leaves, and nothing when there are no new ones", async () => {
    const orgId = newOrg();
    await logs.append(orgId, 3);
    const outcome = await integrateLog(logs.deps, orgId);
    expect(outcome).toMatchObject({ kind: "published", checkpoint: { from: 0, size: 3 }, more: false });
    expect(await integrateLog(logs.deps, orgId)).toEqual({ kind: "current" });
    const [checkpoint, ...others] = await verifyLog(logs, orgId);
    expect(others).toEqual([]);
    expect(checkpoint?.note.startsWith(`logs.example.com/click/log/${orgId}\n3\n`)).toBe(true);
  });
  test("an organization without leaves has no tree", async () => {
    const orgId = newOrg();
    expect(await integrateLog(logs.deps, orgId)).toEqual({ kind: "busy" });
    expect((await logs.superuser.query("select from click.log_tree where organization_id = $1", [orgId])).rows).toEqual(
      [],
    );
  });
  test("every checkpoint ever published is a beginning of today's, across full tiles and levels", async () => {
    const orgId = newOrg();
    for (const count of [1, 1, 253, 1, 1, 300, 7, 1500]) {
      await logs.append(orgId, count);
      await logs.integrate(orgId);
    }
    const checkpoints = await verifyLog(logs, orgId);
    expect(checkpoints.map(({ size }) => size)).toEqual([1, 2, 255, 256, 257, 557, 564, 2064]);
  });
  test("takes very many leaves in several transactions, and answers others between slices", async () => {
    const orgId = newOrg();
    const more = 50;
    await logs.superuser.query(
      `with head as (insert into click.log_head values ($1, $2))
       insert into click.log_leaf (organization_id, leaf_index, record_id, leaf_hash, leaf)
       select $1, n, gen_random_uuid(), sha256(n::text::bytea), '' from generate_series(0, $2 - 1) as n`,
      [orgId, maxLeaves + more],
    );
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      timer = setImmediate(turn);
    };
    let timer = setImmediate(turn);
    const first = await integrateLog(logs.deps, orgId);
    clearImmediate(timer);
    expect(first).toMatchObject({ kind: "published", checkpoint: { from: 0, size: maxLeaves }, more: true });
    expect(turns).toBeGreaterThan(maxLeaves / 1_024);
    const second = await integrateLog(logs.deps, orgId);
    expect(second).toMatchObject({ kind: "published", checkpoint: { from: maxLeaves }, more: false });
    expect((await readCheckpoints(logs, orgId)).at(-1)?.root).toEqual(await rootOfLeaves(orgId));
  });
  test("a new key signs on, and what the old one signed still verifies", async () => {
    const orgId = newOrg();
    await logs.append(orgId, 1);
    await logs.integrate(orgId);
    await logs.logKeys.rotate();
    await logs.append(orgId, 1);
    await logs.integrate(orgId);
    const [first, second] = await verifyLog(logs, orgId);
    const keyId = (note = "") => Buffer.from(note.trim().split(" ").at(-1) ?? "", "base64").toString("hex", 0, 4);
    expect(keyId(first?.note)).not.toBe(keyId(second?.note));
  });
  test("measures what it published", async () => {
    const published = async () => (await logs.metrics.logCheckpoints.get()).values[0]?.value ?? 0;
    const before = await published();
    const orgId = newOrg();
    await logs.append(orgId, 1);
    await logs.integrate(orgId);
    expect((await published()) - before).toBe(1);
  });
  test("names the log by the issuer's address", () => {
    const id = randomUUID();
    expect(logOrigin("http://localhost:8080/assent/", id)).toBe(`localhost:8080/assent/click/log/${id}`);
  });
});

describe("a log that was tampered with", () => {
  const damage = {
    "a leaf is missing": "delete from click.log_leaf where organization_id = $1 and leaf_index = 12",
    "the next leaf is missing": "delete from click.log_leaf where organization_id = $1 and leaf_index = 10",
    "the last leaf is missing": "delete from click.log_leaf where organization_id = $1 and leaf_index = 14",
    "the head counts fewer leaves than the tree": "update click.log_head set size = 9 where organization_id = $1",
    "the head counts more leaves than there are": "update click.log_head set size = 16 where organization_id = $1",
    "the head is gone": "delete from click.log_head where organization_id = $1",
    "the root of the tree is another one":
      "update click.log_tree set root = sha256('other') where organization_id = $1",
    "the frontier is another one":
      "update click.log_tree set frontier = sha256('a') || sha256('b') where organization_id = $1",
    "the frontier does not fit the size":
      "update click.log_tree set frontier = substr(frontier, 1, 32) where organization_id = $1",
    "the size of the tree is another one": "update click.log_tree set size = 12 where organization_id = $1",
    "the tree was set back to nothing":
      "update click.log_tree set size = 0, frontier = '', root = sha256('') where organization_id = $1",
    "the tree was set back to an earlier checkpoint": `with old as (select size, root from click.log_checkpoint
      where organization_id = $1 order by size limit 1)
      update click.log_tree t set size = 1, frontier = old.root, root = old.root from old where organization_id = $1`,
    "the checkpoint says something else":
      "update click.log_checkpoint set root = sha256('other') where organization_id = $1",
    "the checkpoint is gone": "delete from click.log_checkpoint where organization_id = $1",
    "the partial tile is too short":
      "update click.log_tile set hashes = substr(hashes, 1, 288) where organization_id = $1",
    "the partial tile is gone": "delete from click.log_tile where organization_id = $1",
  };

  test.each(Object.entries(damage))("gets no checkpoint any more: %s", async (_name, sql) => {
    const orgId = newOrg();
    for (const count of [1, 9]) {
      await logs.append(orgId, count);
      await logs.integrate(orgId);
    }
    await logs.append(orgId, 5);
    await logs.superuser.query(sql, [orgId]);
    const before = await state(orgId);
    await expect(integrateLog(logs.deps, orgId)).rejects.toThrow(LogMismatchError);
    expect(await state(orgId)).toEqual(before);
  });

  const state = async (orgId: string): Promise<unknown> =>
    Promise.all(
      ["log_tree", "log_tile", "log_checkpoint"].map(
        async (table) =>
          (await logs.superuser.query(`select * from click.${table} where organization_id = $1`, [orgId])).rows,
      ),
    );
});

describe("the integrator's role", () => {
  test("cannot change or add leaves of organizations, nor change what was published", async () => {
    const orgId = newOrg();
    await logs.append(orgId, 1);
    await logs.integrate(orgId);
    const forbidden = [
      "update click.log_leaf set leaf_hash = leaf_hash",
      "delete from click.log_leaf",
      "update click.log_checkpoint set root = root",
      "delete from click.log_checkpoint",
      "delete from click.log_tree",
      "delete from click.log_tile",
      "select from click.acceptance",
      "select from click.subject_key",
      "select from click.signing_key",
      `insert into click.log_leaf (organization_id, leaf_index, record_id, leaf_hash, leaf)
       values ('${orgId}', 1, '${newId()}', sha256('x'), 'x')`,
    ];
    for (const sql of forbidden) {
      await expect(logs.integratorPool.query(sql)).rejects.toThrow(/permission denied|row-level security/);
    }
    const moved = await logs.integratorPool.query("update click.log_head set size = size where organization_id = $1", [
      orgId,
    ]);
    expect(moved.rowCount).toBe(0);
  });
});
