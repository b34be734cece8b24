import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { EvidenceAdminService, EvidenceLogService } from "#gen/assent/click/v1/click_pb.ts";
import { createPool, withTransaction } from "#platform/db/pool.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { createTestDatabase } from "#platform/testing/database.ts";
import { until } from "#platform/testing/until.ts";
import { parseCheckpoint } from "#platform/transparency/checkpoint.ts";
import { verifyNote } from "#platform/transparency/signed-note.ts";
import { verifyConsistency, verifyInclusion } from "#platform/transparency/verify.ts";
import { createLogWitness } from "#platform/transparency/witness.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import {
  type Accepted,
  accepted,
  as,
  batchItem,
  type ClickHarness,
  type ClickInstance,
  rows,
  startClick,
  testIssuer,
} from "../../test/harness.ts";
import { anchorLogId, logOrigin } from "../leaf.ts";
import { createLogMemory } from "../log-memory.ts";

let click: ClickHarness;
const folder = mkdtempSync(join(tmpdir(), "assent-witness-"));
beforeAll(async () => {
  click = await startClick();
});
afterAll(async () => {
  await click.close();
  rmSync(folder, { recursive: true });
});

const { addTemplate } = clientActions(() => click);

/** A template that is made when it is asked for. */
function addTemplateOnce(): () => FakeTemplate {
  let made: FakeTemplate | undefined;
  return () => {
    made ??= addTemplate();
    return made;
  };
}

/** A process with the workers of the log. */
async function start(logWitness: string | undefined): Promise<ClickInstance & { stop(): Promise<void> }> {
  const process = await click.startAnother(undefined, undefined, { logWitness, anchorIntervalSeconds: 1 });
  const workers = process.service.workers.filter(({ name }) => /^(integrator|anchor) /.test(name));
  for (const worker of workers) await worker.start();
  return { ...process, stop: async () => void (await Promise.all(workers.map((worker) => worker.stop()))) };
}

async function accept({ client }: ClickInstance, template: FakeTemplate, from: number, count: number) {
  const items = Array.from({ length: count }, (_, n) =>
    batchItem({
      orgId: orgOf(template),
      key: `key-${from + n}`,
      body: { templateId: template.templateId, userRef: `user-${from + n}` },
    }),
  );
  return (await client.acceptBatch({ items })).results.map(accepted);
}

const newestNote = async (orgId: string): Promise<string> =>
  (
    await rows<{ note: string }>(
      click,
      "select note from click.log_checkpoint where organization_id = $1 order by size desc limit 1",
      [orgId],
    )
  )[0]?.note ?? "";

const newest = async ({ client }: ClickInstance, orgId: string) => {
  const { verifierKeys } = await client.listEvidenceKeys({ logId: orgId });
  const checkpoint = parseCheckpoint(verifyNote(await newestNote(orgId), verifierKeys)?.text ?? "");
  if (checkpoint === undefined) throw new Error("no key of the log has signed its checkpoint");
  return checkpoint;
};

const integrated = (orgId: string, size: number) =>
  until(async () => {
    const sql = "select from click.log_checkpoint where organization_id = $1 and size = $2";
    return (await rows(click, sql, [orgId, size])).length === 1;
  });

/** All rows of an organization as they are now; gives what brings them back. */
async function backUp(...logIds: string[]): Promise<() => Promise<void>> {
  const tables = await rows<{ name: string }>(
    click,
    `select c.oid::regclass::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'click'::regnamespace and c.relkind = 'r' and a.attname = 'organization_id'`,
  );
  const { superuser } = click;
  const copies = tables.map(({ name }, n) => ({ name, copy: `public.copy_${n}` }));
  for (const { name, copy } of copies) {
    await superuser.query(`drop table if exists ${copy}`);
    await superuser.query(`create table ${copy} as select * from ${name} where organization_id = any($1)`, [logIds]);
  }
  return async () => {
    for (const { name, copy } of copies) {
      await superuser.query(`delete from ${name} where organization_id = any($1)`, [logIds]);
      await superuser.query(`insert into ${name} overriding system value select * from ${copy}`);
    }
  };
}

const gaugeOf = async ({ metrics }: ClickInstance, gauge: "logWitnessFailing" | "logOldestLeafSeconds") =>
  (await metrics[gauge].get()).values[0]?.value ?? 0;

const placeOf = ({ receipt: { log } }: Accepted): string => `${log.origin} ${log.leafIndex}`;

/** Twenty acceptances that survive, a hundred that are answered and lost, and a hundred that follow. */
async function goBack(logWitness: string | undefined, { isStillRunning = false } = {}) {
  const template = addTemplate();
  const orgId = orgOf(template);
  const first = await start(logWitness);
  const kept = await accept(first, template, 0, 20);
  await integrated(orgId, 20);
  const restore = await backUp(orgId);
  const lost = await accept(first, template, 20, 100);
  await integrated(orgId, 120);
  const formerNote = await newestNote(orgId);
  if (!isStillRunning) await first.stop();
  await restore();
  const second = isStillRunning ? first : await start(logWitness);
  const after = await accept(second, template, 200, 100);
  return { template, orgId, kept, lost, after, formerNote, process: second, restore };
}

describe("a database that went back in time", () => {
  test("without a witness it gives the places of answered acceptances to others", async () => {
    const { kept, lost, after, process } = await goBack(undefined);
    const places = [...kept, ...lost, ...after].map(placeOf);
    expect(new Set(places).size).toBe(120);
    await process.stop();
  });

  test("gives no place of a log twice: its log goes on under another origin, which says what is missing", async () => {
    const { orgId, kept, lost, after, formerNote, process } = await goBack(folder);
    const places = [...kept, ...lost, ...after].map(placeOf);
    expect(new Set(places).size).toBe(220);
    const [former, origin] = [logOrigin(testIssuer, orgId), logOrigin(testIssuer, orgId, 2)];
    expect(after.map(({ receipt }) => receipt.log.origin)).toEqual(after.map(() => origin));
    const indexes = after.map(({ receipt }) => receipt.log.leafIndex).sort((a, b) => a - b);
    expect(indexes).toEqual(after.map((_, n) => 21 + n));
    await integrated(orgId, 121);
    expect(await newest(process, orgId)).toMatchObject({ origin, size: 121 });

    const [leaf] = await rows<{ leaf: string }>(
      click,
      "select convert_from(leaf, 'UTF8') as leaf from click.log_leaf where organization_id = $1 and leaf_index = 20",
      [orgId],
    );
    expect(JSON.parse(leaf?.leaf ?? "")).toMatchObject({
      ...{ kind: "click.log.epoch", org: orgId, epoch: 2, origin, treeSize: 20, leaves: 20 },
      ...{ former: { origin: former, size: 120, checkpoint: formerNote }, missing: { from: 20, to: 120 } },
    });
    await process.stop();
  });

  test("has proofs of both epochs: what was signed before is the beginning of what is signed now", async () => {
    const { orgId, kept, after, process } = await goBack(folder);
    await integrated(orgId, 121);
    const root = async (size: number) => {
      const [row] = await rows<{ root: Buffer }>(
        click,
        "select root from click.log_checkpoint where organization_id = $1 and size = $2",
        [orgId, size],
      );
      return row?.root ?? Buffer.alloc(32);
    };
    const { path } = await process.client.getConsistencyProof({ from: 20n, to: 121n }, as(orgId));
    expect(
      verifyConsistency(
        20,
        121,
        path.map((hash) => Buffer.from(hash)),
        await root(20),
        await root(121),
      ),
    ).toBe(true);
    for (const [{ receipt } = { receipt: undefined }, size] of [
      [kept[3], 20],
      [kept[3], 121],
      [after[50], 121],
    ] as const) {
      if (receipt === undefined) throw new Error("nothing was accepted");
      const leaf = { case: "receiptId", value: receipt.receiptId } as const;
      const proof = await process.client.getInclusionProof({ leaf, size: BigInt(size) }, as(orgId));
      const hashes = proof.auditPath.map((hash) => Buffer.from(hash));
      expect(verifyInclusion(receipt.log.leafIndex, size, Buffer.from(proof.leafHash), hashes, await root(size))).toBe(
        true,
      );
      expect(proof.checkpoint.split("\n")[0]).toBe(logOrigin(testIssuer, orgId, size === 20 ? 1 : 2));
    }
    await process.stop();
  });

  test("says of lost receipts that they were signed and lost, and confirms all others", async () => {
    const { orgId, kept, lost, after, process } = await goBack(folder);
    await integrated(orgId, 121);
    const verify = async (one: Accepted | undefined, jwsAlone = false) => {
      const { receipt, receiptJson } = one as Accepted;
      const request = jwsAlone ? { jws: receipt.signature.jws } : { receiptJson: Buffer.from(receiptJson) };
      return process.client.verifyReceipt(request as { jws: string }, as(orgId));
    };
    for (const one of [kept[0], kept[19], after[0], after[99]]) expect((await verify(one)).valid).toBe(true);
    for (const jwsAlone of [false, true]) {
      const { valid, checks } = await verify(lost[42], jwsAlone);
      expect(valid).toBe(false);
      expect(checks.find(({ check }) => check === "SIGNATURE")?.ok).toBe(true);
      expect(checks.find(({ check }) => check === "RECORDED")).toMatchObject({
        ok: false,
        message: expect.stringMatching(/^It was signed, then lost by a restore of the database, .* at 2\d{3}-/),
      });
    }
    // A place is part of what is confirmed, and so is the log that it is in.
    const [moved] = after;
    const receipt = { ...moved?.receipt, log: { ...moved?.receipt.log, origin: logOrigin(testIssuer, orgId) } };
    const { checks } = await process.client.verifyReceipt(
      { receiptJson: Buffer.from(JSON.stringify(receipt)) },
      as(orgId),
    );
    expect(checks.find(({ check }) => check === "RECORDED")?.ok).toBe(false);
    await process.stop();
  });

  test("is noticed while processes run, before anything is signed", async () => {
    const { orgId, process } = await goBack(folder, { isStillRunning: true });
    await until(async () => (await newest(process, orgId)).size === 121);
    expect(await newest(process, orgId)).toMatchObject({ origin: logOrigin(testIssuer, orgId, 2) });
    await process.stop();
  });

  test("twice, to before the first time, opens a third epoch and not the second again", async () => {
    const { template, orgId, lost, after, restore, process } = await goBack(folder);
    await integrated(orgId, 121);
    await process.stop();
    await restore();
    const third = await start(folder);
    const later = await accept(third, template, 400, 100);
    const places = [...lost, ...after, ...later].map(placeOf);
    expect(new Set(places).size).toBe(300);
    await integrated(orgId, 121);
    expect(await newest(third, orgId)).toMatchObject({ origin: logOrigin(testIssuer, orgId, 3) });
    const epochs = await third.client.listEvidenceKeys({ logId: orgId });
    expect(epochs).toMatchObject({ highestEpoch: 3, epochs: [{ epoch: 3, logId: orgId }] });
    await third.stop();
  });

  test("two processes that start at once open one epoch of each log", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const first = await start(folder);
    await accept(first, template, 0, 3);
    await integrated(orgId, 3);
    await first.stop();
    const restore = await backUp(orgId);
    const again = await start(folder);
    await accept(again, template, 3, 5);
    await integrated(orgId, 8);
    await again.stop();
    await restore();
    const both = await Promise.all([start(folder), start(folder)]);
    const answers = await Promise.all(both.map((process, n) => accept(process, template, 10 + n * 10, 10)));
    await integrated(orgId, 24);
    expect(new Set(answers.flat().map(placeOf)).size).toBe(20);
    const opened = "select epoch from click.log_epoch where organization_id = $1";
    expect(await rows(click, opened, [orgId])).toEqual([{ epoch: 2 }]);
    await Promise.all(both.map((process) => process.stop()));
  });

  test("is compared as far as it can be, whatever somebody has put into the witness", async () => {
    const { template, orgId, process, restore } = await goBack(folder);
    await integrated(orgId, 121);
    await process.stop();
    await restore();
    const strange = addTemplate();
    mkdirSync(join(folder, orgId.slice(-2), `${orgId} copy`));
    const again = await start(folder);
    await accept(again, strange, 0, 1);
    await integrated(orgOf(strange), 1);
    await again.stop();
    const witness = createLogWitness(folder, "");
    const known = await witness.read(orgOf(strange));
    await witness.write(orgOf(strange), { epoch: 999_999_999, size: 1, note: "a\nb\n\0\n" }, known);
    const next = await start(folder);
    await accept(next, strange, 1, 1);
    const [after] = await accept(next, template, 400, 1);
    expect(after?.receipt.log.origin).toBe(logOrigin(testIssuer, orgId, 3));
    await next.stop();
    // Deleted by the operator, who knows that the database is complete (EvidenceContradictsItself).
    rmSync(join(folder, orgOf(strange).slice(-2), orgOf(strange)), { recursive: true });
    rmSync(join(folder, orgId.slice(-2), `${orgId} copy`), { recursive: true });
  });

  test("is noticed once the witness answers, when it was away at the start: acceptances go on meanwhile", async () => {
    const { template, orgId, process, restore } = await goBack(folder);
    await integrated(orgId, 121);
    await process.stop();
    await restore();
    renameSync(folder, `${folder}-away`);
    writeFileSync(folder, "");
    const next = await start(folder);
    await accept(next, template, 400, 1);
    rmSync(folder);
    renameSync(`${folder}-away`, folder);
    await until(async () => (await newest(next, orgId).catch(() => undefined))?.origin.endsWith("/e3"));
    await next.stop();
  });

  test("signs nothing while its witness is empty as well: acceptances go on, and it is noticed once the witness is back", async () => {
    const { template, orgId, process, restore } = await goBack(folder);
    await integrated(orgId, 121);
    await process.stop();
    await restore();
    renameSync(folder, `${folder}-away`);
    const next = await start(folder);
    await accept(next, template, 400, 1);
    // Otherwise the next round would have signed it.
    await until(async () => (await gaugeOf(next, "logOldestLeafSeconds")) > 2);
    expect(await gaugeOf(next, "logWitnessFailing")).toBe(1);
    await accept(next, template, 401, 1);
    expect((await newest(next, orgId)).size).toBe(20);
    rmSync(folder, { recursive: true, force: true });
    renameSync(`${folder}-away`, folder);
    await until(async () => (await newest(next, orgId)).origin.endsWith("/e3"));
    await until(async () => (await gaugeOf(next, "logWitnessFailing")) === 0);
    await next.stop();
  });

  test("opens no epoch beside a witness that is not the one it knows", async () => {
    const { template, orgId, process, restore } = await goBack(folder);
    await integrated(orgId, 121);
    await restore();
    renameSync(join(folder, "ff"), `${folder}-marker`);
    await accept(process, template, 400, 1);
    await until(async () => (await gaugeOf(process, "logWitnessFailing")) === 1);
    expect(await rows(click, "select from click.log_epoch where organization_id = $1", [orgId])).toEqual([]);
    renameSync(`${folder}-marker`, join(folder, "ff"));
    await until(async () => (await newest(process, orgId)).origin.endsWith("/e3"));
    await process.stop();
  });

  test("with the anchor log: it goes on under another origin as well", async () => {
    const anchored = async (size: number) => integrated(anchorLogId, size);
    const sizeOf = async () =>
      (
        await rows<{ size: number }>(
          click,
          "select coalesce(max(size), 0)::integer as size from click.log_checkpoint where organization_id = $1",
          [anchorLogId],
        )
      )[0]?.size ?? 0;
    const process = await start(folder);
    const template = addTemplate();
    await accept(process, template, 0, 1);
    const witness = createLogWitness(folder, "");
    await until(() => witness.read(anchorLogId));
    await process.stop();
    const known = await witness.read(anchorLogId);
    const before = await sizeOf();
    expect(known).toMatchObject({ epoch: 1, size: before });
    // What the anchor log signs last is forgotten.
    await rows(click, "delete from click.log_checkpoint where organization_id = $1", [anchorLogId as OrgId]);
    await rows(click, "delete from click.log_tree where organization_id = $1", [anchorLogId]);
    await rows(click, "delete from click.log_tile where organization_id = $1", [anchorLogId]);
    await rows(click, "delete from click.anchor where anchor_index >= $1", [0]);
    await rows(click, "delete from click.log_leaf where organization_id = $1 and leaf_index > 0", [anchorLogId]);
    await rows(click, "update click.log_leaf set leaf_hash = sha256('x') where organization_id = $1", [anchorLogId]);
    await rows(click, "update click.log_head set size = 1 where organization_id = $1", [anchorLogId]);
    const next = await start(folder);
    await until(async () => (await newestNote(anchorLogId)) !== "");
    expect((await newest(next, anchorLogId)).origin).toBe(logOrigin(testIssuer, anchorLogId, 2));
    await anchored(await sizeOf());
    await next.stop();
  });
});

/** From here on the database knows another witness than the one before. */
describe("a witness that was lost together with a database that went back in time", () => {
  const there = join(folder, "another witness");
  const [template, idle, late] = [addTemplateOnce(), addTemplateOnce(), addTemplateOnce()];
  const clientOf = ({ service }: ClickInstance) => {
    const admin = createMemoryTransport(service.adminRoutes ?? (() => undefined), { interceptors: [] });
    const own = createMemoryTransport(service.routes, { interceptors: [] });
    return { admin: createClient(EvidenceAdminService, admin), log: createClient(EvidenceLogService, own) };
  };
  const epochsOf = (orgId: string) =>
    rows<{ epoch: number; isConfirmed: boolean }>(
      click,
      `select epoch, confirmed_at is not null as "isConfirmed" from click.log_epoch where organization_id = $1`,
      [orgId],
    );
  const unknown = (process: ClickInstance) => until(async () => (await gaugeOf(process, "logWitnessFailing")) === 1);

  test("is taken for new: every log goes on under an origin that was never used, and says so", async () => {
    const first = await start(there);
    await unknown(first);
    const begun = await clientOf(first).admin.confirmLogWitness({});
    expect(begun).toMatchObject({ confirmed: true });
    const orgId = orgOf(template());
    const kept = await accept(first, template(), 0, 20);
    await accept(first, idle(), 0, 5);
    // Epoch leaves come before or after the others of their logs.
    await integrated(orgId, 21);
    await integrated(orgOf(idle()), 6);
    const restore = await backUp(orgId, orgOf(idle()));
    const keptNote = await newestNote(orgId);
    const lost = await accept(first, template(), 20, 100);
    await accept(first, late(), 0, 3);
    await integrated(orgId, 121);
    await first.stop();
    await restore();
    rmSync(there, { recursive: true });

    const second = await start(there);
    await unknown(second);
    const { admin, log } = clientOf(second);
    expect(await log.mayDeleteByTime({})).toMatchObject({ allowed: false });
    const { confirmed, firstEpoch } = await admin.confirmLogWitness({});
    expect(confirmed).toBe(true);
    expect(firstEpoch).toBeGreaterThan(begun.firstEpoch);
    // Also of logs that do not grow.
    for (const one of [orgId, orgOf(idle()), anchorLogId]) {
      await until(async () => (await epochsOf(one)).some(({ epoch }) => epoch >= firstEpoch));
    }
    expect((await epochsOf(orgId)).at(-1)).toEqual({ epoch: firstEpoch, isConfirmed: true });
    const after = await accept(second, template(), 200, 100);
    await integrated(orgId, 122);
    expect((await newest(second, orgId)).origin).toBe(logOrigin(testIssuer, orgId, firstEpoch));
    const places = [...kept, ...lost, ...after].map(placeOf);
    expect(new Set(places).size).toBe(220);
    const [leaf] = await rows<{ leaf: string }>(
      click,
      "select convert_from(leaf, 'UTF8') as leaf from click.log_leaf where organization_id = $1 and leaf_index = 21",
      [orgId],
    );
    expect(JSON.parse(leaf?.leaf ?? "")).toMatchObject({
      ...{ kind: "click.log.epoch", because: "WITNESS_IS_NEW", epoch: firstEpoch, treeSize: 21, leaves: 21 },
      ...{ former: { size: 21, checkpoint: keptNote }, missing: { from: 21, to: 21 } },
    });
    const verify = async (one: Accepted | undefined) =>
      second.client.verifyReceipt({ receiptJson: Buffer.from(one?.receiptJson ?? "") }, as(orgId));
    for (const one of [kept[0], kept[19], after[0]]) expect((await verify(one)).valid).toBe(true);
    expect((await verify(lost[42])).checks.find(({ check }) => check === "RECORDED")).toMatchObject({
      ...{ ok: false, message: expect.stringMatching(/^It was signed, then lost by a restore of the database/) },
    });
    const { highestEpoch, epochNumbers } = await second.client.listEvidenceKeys({ logId: orgId });
    expect(highestEpoch).toBeGreaterThanOrEqual(firstEpoch);
    expect(epochNumbers).toEqual(expect.arrayContaining([1, 2, firstEpoch]));
    expect(epochNumbers.length).toBeLessThan(300);
    await second.stop();
  });

  test("and is lost again before the new epoch has signed anything: nothing more is missing", async () => {
    const one = await start(there);
    const orgId = orgOf(idle());
    const loseWitness = async () => {
      rmSync(there, { recursive: true });
      await unknown(one);
      const { firstEpoch } = await clientOf(one).admin.confirmLogWitness({});
      await until(async () => (await epochsOf(orgId)).some(({ epoch }) => epoch >= firstEpoch));
      await until(async () => (await gaugeOf(one, "logWitnessFailing")) === 0);
    };
    await until(async () => (await gaugeOf(one, "logWitnessFailing")) === 0);
    await withTransaction(click.superuser, async (client) => {
      // Nobody publishes a checkpoint of this log meanwhile.
      await client.query("select from click.log_tree where organization_id = $1 for update", [orgId]);
      await loseWitness();
      await loseWitness();
    });
    const opened = await rows<{ epochs: number; missing: number }>(
      click,
      `select count(distinct former_epoch)::integer as epochs,
         count(*) filter (where missing_from <> former_size)::integer as missing
       from (select * from click.log_epoch where organization_id = $1 order by epoch desc limit 2) e`,
      [orgId],
    );
    expect(opened).toEqual([{ epochs: 1, missing: 0 }]);
    await one.stop();
  });

  test("is noticed in other processes, whose logs go on as well, also when the one that was told ends", async () => {
    const [one, other] = [await start(there), await start(there)];
    await accept(one, late(), 10, 1);
    await until(async () => (await gaugeOf(other, "logWitnessFailing")) === 0);
    rmSync(there, { recursive: true });
    await unknown(one);
    const { firstEpoch } = await clientOf(one).admin.confirmLogWitness({});
    await one.stop();
    for (const log of [template, idle, late].map((name) => orgOf(name()))) {
      await until(async () => (await epochsOf(log)).some(({ epoch }) => epoch >= firstEpoch));
    }
    const { admin, log } = clientOf(other);
    await until(async () => (await admin.listLogEpochs({})).witness?.problem === "");
    await admin.confirmLogEpochs({});
    await until(async () => (await log.mayDeleteByTime({})).allowed);
    await other.stop();
  });
});

test("database and witness that are both lost twice within an hour begin with different epochs, though neither remembers", async () => {
  const database = await createTestDatabase();
  const pool = createPool({ url: database.url, role: "assent_click_integrator", max: 2, name: "test-memory" });
  const place = join(folder, "lost twice");
  let now = Date.UTC(2026, 10, 23, 12);
  const memory = createLogMemory({
    ...{ witness: createLogWitness(place, ""), pool, logKeys: { all: async () => [] }, issuer: testIssuer },
    ...{ clock: { now: () => new Date(now) }, newId, logger: createLogger("test", "silent") },
  });
  const loseBoth = async (): Promise<number | undefined> => {
    rmSync(place, { recursive: true });
    // As a backup of the first day has it.
    await database.superuser.query("update click.log_witness set marker = $1, first_epoch = 1", [newId()]);
    return memory.confirm("Ann");
  };
  try {
    await memory.recognise();
    const first = await loseBoth();
    now += 1_000;
    const second = await loseBoth();
    expect([first, second]).toEqual([28_209_600, 28_209_601]);
  } finally {
    await pool.end();
    await database.drop();
  }
});
