import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { connect } from "nats";
import type pg from "pg";
import { withTransaction } from "#platform/db/pool.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { until } from "#platform/testing/until.ts";
import { signNote } from "#platform/transparency/signed-note.ts";
import { createLogWitness, type LogWitness, WitnessError } from "#platform/transparency/witness.ts";
import { startNats } from "../../../../dev/nats.ts";
import { poolThatDies, type When } from "../../accept/test/dying-pool.ts";
import { newOrg } from "../../test/harness.ts";
import { lockWitness } from "../epoch-store.ts";
import { createLogGuard, LogWentBackError, signCheckpoint } from "../epochs.ts";
import { integrateLog } from "../integrate-log.ts";
import { publishTree } from "../integrate-store.ts";
import { createLeafSigner, logOrigin } from "../leaf.ts";
import { createLogMemory, type LogMemory, markerId } from "../log-memory.ts";
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

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const stranger = { key: privateKey, publicKey: Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url") };

const memoryOf = (witness: LogWitness, pool = logs.integratorPool) =>
  createLogMemory({ ...logs, witness, pool, newId });

const guardOf = (memory: LogMemory, integratorPool = logs.integratorPool) =>
  createLogGuard({
    ...logs,
    ...{ memory, integratorPool, newId, leafSigner: createLeafSigner({ keys: logs.logKeys }) },
  });

describe("an integrator with a witness", () => {
  const folder = mkdtempSync(join(tmpdir(), "assent-witness-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const witness = createLogWitness(folder, "");
  const withWitness = (pool = logs.integratorPool, other = witness) => ({
    ...logs.deps,
    pool,
    memory: memoryOf(other),
  });

  test("killed after the witness knew, and before the database did, goes on in the same epoch", async () => {
    // The statement that publishes, and the commit; without a tree one more makes it.
    for (const hasTree of [true, false]) {
      for (const statement of hasTree ? [4, 5] : [5, 6]) {
        const orgId = await growingLog(hasTree);
        const { pool } = poolThatDies(logs.integratorPool, logs.superuser, { statement, when: "before" });
        const published = (await readCheckpoints(logs, orgId)).length;
        await expect(integrateLog(withWitness(pool), orgId)).rejects.toThrow();
        expect(await readCheckpoints(logs, orgId)).toHaveLength(published);
        expect(await witness.read(orgId)).toMatchObject({ epoch: 1, size: hasTree ? 700 : 400 });
        // Others record more: what the witness knows is a beginning of what is signed next.
        await logs.append(orgId, statement);
        expect(await integrateLog(withWitness(), orgId)).toMatchObject({ kind: "published" });
        await verifyLog(logs, orgId);
      }
    }
  });

  test("whose witness does not take a checkpoint publishes nothing", async () => {
    const orgId = await growingLog(true);
    const away = { ...witness, write: async () => Promise.reject(new WitnessError("away")) };
    const before = await state(orgId);
    await expect(integrateLog(withWitness(undefined, away), orgId)).rejects.toThrow("away");
    expect(await state(orgId)).toEqual(before);
    expect(await integrateLog(withWitness(), orgId)).toMatchObject({ kind: "published" });
    await verifyLog(logs, orgId);
  });

  test("takes an older witness for what it is, and brings it up to date", async () => {
    const orgId = await growingLog(true);
    await integrateLog(withWitness(), orgId);
    const old = await witness.read(orgId);
    await logs.append(orgId, 5);
    await integrateLog(logs.deps, orgId);
    await logs.append(orgId, 5);
    await integrateLog(withWitness(), orgId);
    expect([old?.size, (await witness.read(orgId))?.size]).toEqual([700, 710]);
    await verifyLog(logs, orgId);
  });

  test("signs nothing beside a checkpoint that the log has not signed, or that it contradicts", async () => {
    const [forged, contradicted] = [await growingLog(true), await growingLog(true)];
    const note = signNote(`${logOrigin(logs.issuer, forged)}\n300\n${Buffer.alloc(32).toString("base64")}\n`, {
      name: logOrigin(logs.issuer, forged),
      ...stranger,
    });
    await witness.write(forged, { epoch: 1, size: 300, note }, undefined);
    await expect(integrateLog(withWitness(), forged)).rejects.toMatchObject({ name: "WitnessError", logId: forged });
    const key = await logs.logKeys.signingAt(logs.clock.now());
    const origin = logOrigin(logs.issuer, contradicted);
    for (const size of [290, 300, 650, 800]) {
      const signed = signCheckpoint(key, { origin, size, root: Buffer.alloc(32, size) });
      await witness.write(contradicted, { epoch: 1, size, note: signed }, await witness.read(contradicted));
      await expect(integrateLog(withWitness(), contradicted)).rejects.toThrow(LogWentBackError);
    }
    expect((await readCheckpoints(logs, contradicted)).map(({ size }) => size)).toEqual([300]);
  });
});

describe.each(["folder", "nats"])("the witness (%s) that the database knows", (kind) => {
  const base = mkdtempSync(join(tmpdir(), "assent-witness-"));
  const folder = join(base, "witness");
  let nats: Awaited<ReturnType<typeof startNats>>;
  let witness: LogWitness;
  const opened: LogWitness[] = [];
  const open = (): LogWitness => {
    const one = createLogWitness(kind === "nats" ? "nats" : folder, nats?.url ?? "");
    opened.push(one);
    return one;
  };
  /** As when a folder is not mounted, or a bucket was lost. */
  const lose = async (): Promise<void> => {
    if (kind === "folder") return rmSync(folder, { recursive: true, force: true });
    const nc = await connect({ servers: nats?.url ?? "" });
    await (await nc.jetstreamManager()).streams.delete("KV_CLICK_LOG_WITNESS").catch(() => {});
    await nc.close();
  };
  const isThere = (): boolean => kind === "folder" || nats !== undefined;
  beforeAll(async () => {
    if (kind === "nats") nats = await startNats({ storeDir: join(base, "nats") });
    if (!isThere()) expect(process.env.CI).not.toBe("true");
  });
  beforeEach(async () => {
    if (!isThere()) return;
    await lose();
    await logs.superuser.query("delete from click.log_witness");
    witness = open();
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  afterAll(async () => {
    await nats?.stop();
    rmSync(base, { recursive: true });
    await logs.superuser.query("delete from click.log_witness");
  });
  const known = async () =>
    (await logs.superuser.query('select marker, confirmed_by as "confirmedBy" from click.log_witness')).rows;
  const marker = async () => (await witness.read(markerId))?.note;
  const integrate = (memory: ReturnType<typeof memoryOf>, orgId: OrgId) =>
    integrateLog({ ...logs.deps, memory }, orgId);
  const refusal = { name: "WitnessError", logId: undefined };

  test("is the first one that it meets, also by many processes at once", async () => {
    if (!isThere()) return;
    const first = await growingLog(true);
    await Promise.all([1, 2, 3, 4].map(() => memoryOf(open()).recognise()));
    expect(await known()).toEqual([{ marker: await marker(), confirmedBy: null }]);
    expect(await integrate(memoryOf(witness), first)).toMatchObject({ kind: "published" });
    // A database of before it knew any takes the one that is there.
    const before = await known();
    await logs.superuser.query("delete from click.log_witness");
    await memoryOf(open()).recognise();
    expect(await known()).toEqual(before);
  });

  test("is the same however often a process is killed while it gets to know it, or while an operator confirms it", async () => {
    if (!isThere()) return;
    for (const when of ["before", "after"] as const) {
      // look, begin, lock, look, store, commit
      for (let statement = 1; statement <= 6; statement += 1) {
        await lose();
        await logs.superuser.query("delete from click.log_witness");
        const { pool } = poolThatDies(logs.integratorPool, logs.superuser, { statement, when });
        await expect(memoryOf(witness, pool).recognise()).rejects.toThrow(/terminat|ended|closed|connection/i);
        const made = await marker();
        await memoryOf(witness).recognise();
        expect(await known()).toEqual([{ marker: made ?? (await marker()), confirmedBy: null }]);
        await lose();
        // begin, lock, look, store, commit
        const second = poolThatDies(logs.integratorPool, logs.superuser, { statement: Math.min(statement, 5), when });
        await expect(memoryOf(witness, second.pool).confirm("Ann")).rejects.toThrow(
          /terminat|ended|closed|connection/i,
        );
        const found = await marker();
        await memoryOf(witness).confirm("Ben");
        const by = when === "after" && statement >= 5 ? "Ann" : "Ben";
        expect(await known()).toEqual([{ marker: found ?? (await marker()), confirmedBy: by }]);
        await memoryOf(witness).recognise();
      }
    }
  });

  test("is missed when it is empty: nothing is signed, for a known log, a new one, or the next process", async () => {
    if (!isThere()) return;
    const [former, other] = [await growingLog(true), await growingLog(false)];
    const running = memoryOf(witness);
    await integrate(running, former);
    await logs.append(former, 3);
    const [before, others] = [await state(former), await state(other)];
    await lose();
    for (const memory of [running, memoryOf(open())]) {
      for (const orgId of [former, other]) await expect(integrate(memory, orgId)).rejects.toMatchObject(refusal);
      expect(memory.last.isUnknown).toBe(true);
    }
    expect([await state(former), await state(other)]).toEqual([before, others]);
    expect(await marker()).toBeUndefined();
  });

  test("is another one only when an operator says so, who is remembered", async () => {
    if (!isThere()) return;
    const orgId = await growingLog(true);
    const running = memoryOf(witness);
    await integrate(running, orgId);
    const former = await marker();
    await logs.append(orgId, 3);
    await lose();
    await expect(integrate(running, orgId)).rejects.toMatchObject(refusal);
    const [confirmed, again] = [await memoryOf(open()).confirm("Ann"), await memoryOf(open()).confirm("Ben")];
    expect([confirmed, again]).toEqual([expect.any(Number), undefined]);
    expect(await known()).toEqual([{ marker: await marker(), confirmedBy: "Ann" }]);
    expect(await marker()).not.toBe(former);
    // Nothing is signed under an origin whose history nobody knows; a younger organization has none.
    await expect(integrate(running, orgId)).rejects.toThrow(LogWentBackError);
    expect(running.last.isUnknown).toBe(false);
    expect((await readCheckpoints(logs, orgId)).map(({ size }) => size)).toEqual([300, 700]);
    const time = (logs.clock.now().getTime() + 3_600_000).toString(16).padStart(12, "0");
    const younger = `${time.slice(0, 8)}-${time.slice(8)}-7${newOrg().slice(15)}` as OrgId;
    await logs.append(younger, 2);
    expect(await integrate(running, younger)).toMatchObject({ kind: "published" });
    // A database of before that: this is not the witness it knows.
    await logs.superuser.query("update click.log_witness set marker = $1", [former]);
    await expect(memoryOf(open()).recognise()).rejects.toThrow("not the one that this database knows");
    expect(await memoryOf(open()).confirm("Cem")).toBeGreaterThan(confirmed ?? 0);
    await memoryOf(open()).recognise();
  });

  test("is as good as away while another process is getting to know it and waits for it", async () => {
    if (!isThere()) return;
    const guard = guardOf(memoryOf(witness));
    const other = await logs.superuser.connect();
    try {
      await other.query("begin");
      await lockWitness(other);
      expect(await guard.passed()).toBe(false);
      await expect(memoryOf(open()).recognise()).rejects.toMatchObject(refusal);
    } finally {
      await other.query("rollback");
      other.release();
    }
    await until(() => guard.passed());
  });

  test("is not relied on when its marker is damaged", async () => {
    if (!isThere()) return;
    await memoryOf(witness).recognise();
    if (kind === "folder") writeFileSync(join(folder, "ff", markerId, `1.0.${"0".repeat(16)}.note`), "another");
    else await witness.write(markerId, { epoch: 3_000_000_000, size: 0, note: "" }, await witness.read(markerId));
    await expect(memoryOf(open()).recognise()).rejects.toMatchObject(refusal);
    await expect(memoryOf(open()).confirm("Ann")).rejects.toMatchObject(refusal);
  });
});

describe("what compares the logs with their witness", () => {
  const folder = mkdtempSync(join(tmpdir(), "assent-witness-"));
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await logs.superuser.query("delete from click.log_witness");
    await logs.superuser.query("delete from click.log_epoch");
  });

  test("does so again while no log grows, when the database is another one, before anything goes for its time", async () => {
    const witness = createLogWitness(folder, "");
    const memory = memoryOf(witness);
    let identity = "before the failover";
    const query = async (text: string, ...rest: []) =>
      text.includes("pg_control_system") ? { rows: [{ identity }] } : logs.integratorPool.query(text, ...rest);
    const guard = guardOf(
      memory,
      new Proxy(logs.integratorPool, { get: (pool, name) => (name === "query" ? query : Reflect.get(pool, name)) }),
    );
    const [one, other] = [await growingLog(true), await growingLog(true)];
    for (const orgId of [one, other]) await integrateLog({ ...logs.deps, memory }, orgId);
    expect(await guard.isCurrent()).toBe(true);
    const lose = async (orgId: OrgId): Promise<void> => {
      const key = await logs.logKeys.signingAt(logs.clock.now());
      const note = signCheckpoint(key, { origin: logOrigin(logs.issuer, orgId), size: 900, root: Buffer.alloc(32, 9) });
      await witness.write(orgId, { epoch: 1, size: 900, note }, await witness.read(orgId));
    };
    const opened = async () =>
      (await logs.superuser.query<{ id: string }>("select organization_id as id from click.log_epoch")).rows.map(
        ({ id }) => id,
      );
    await lose(one);
    expect([await guard.isCurrent(), await opened()]).toEqual([true, []]);
    identity = "after the failover";
    expect([await guard.isCurrent(), await opened()]).toEqual([true, [one]]);
    await lose(other);
    identity = "after another failover";
    await until(async () => {
      await guard.watch();
      return (await opened()).includes(other);
    });
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
