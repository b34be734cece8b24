import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { createPool } from "#platform/db/pool.ts";
import { newId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { until } from "#platform/testing/until.ts";
import { countAcceptances } from "../../test/actions.ts";
import { type ClickHarness, newOrg, rows, startClick } from "../../test/harness.ts";
import { createRecorder } from "../recorder.ts";
import {
  kinds,
  newRecord,
  newSession,
  receiptDeps,
  recorderPool,
  startRecorder,
  submit,
  times,
} from "./record-fixtures.ts";

let click: ClickHarness;
let pool: pg.Pool;
beforeAll(async () => {
  click = await startClick();
  pool = recorderPool(click);
});
afterAll(async () => {
  await pool.end();
  await click.close();
});

describe("group commit", () => {
  test("a lone acceptance goes out at once, and what comes meanwhile goes together", async () => {
    const orgId = newOrg();
    const gate = Promise.withResolvers<void>();
    const started = startRecorder(pool, {}, (n) => (n <= 2 ? gate.promise : undefined));
    const first = times(2).map(() => submit(started, [newRecord({ orgId })]));
    expect(started.batches).toEqual([1, 1]);
    const rest = times(300).map(() => submit(started, [newRecord({ orgId })]));
    expect(started.batches).toEqual([1, 1]);
    gate.resolve();
    const outcomes = (await Promise.all([...first, ...rest])).flat();
    expect(new Set(kinds(outcomes))).toEqual(new Set(["recorded"]));
    expect(started.batches).toEqual([1, 1, 256, 44]);
    expect(started.mostRunning()).toBe(2);
    expect(started.commits()).toBe(4);
    expect(await countAcceptances(click, orgId)).toBe(302);
  });

  test("acceptances of one session never go together", async () => {
    const orgId = newOrg();
    const [one, two] = [await newSession(click, orgId), await newSession(click, orgId)];
    const started = startRecorder(pool);
    const outcomes = await submit(started, [
      ...times(3).map(() => newRecord({ orgId, sessionId: one })),
      ...times(2).map(() => newRecord({ orgId, sessionId: two })),
      newRecord({ orgId }),
    ]);
    expect(kinds(outcomes)).toEqual([
      "recorded",
      "CLICK_SESSION_CLOSED",
      "CLICK_SESSION_CLOSED",
      "recorded",
      "CLICK_SESSION_CLOSED",
      "recorded",
    ]);
    expect(started.batches).toEqual([3, 2, 1]);
  });

  test("refuses what comes beyond its bound, and records it when it is sent again", async () => {
    const orgId = newOrg();
    const gate = Promise.withResolvers<void>();
    const started = startRecorder(pool, { held: 3 }, () => gate.promise);
    const records = times(4).map(() => newRecord({ orgId }));
    const outcomes = submit(started, records);
    gate.resolve();
    expect(kinds(await outcomes)).toEqual(["recorded", "recorded", "recorded", "SERVICE_UNAVAILABLE"]);
    expect(kinds(await submit(started, records.slice(1)))).toEqual(["replayed", "replayed", "recorded"]);
  });
});

describe("one key in flight twice", () => {
  test("the second waits for the first: the same body gets its receipt, another one is refused", async () => {
    const orgId = newOrg();
    const started = startRecorder(pool);
    const same = { orgId, key: "k", body: "a" };
    const outcomes = await submit(started, [newRecord(same), newRecord(same), newRecord({ ...same, body: "b" })]);
    expect(kinds(outcomes)).toEqual(["recorded", "replayed", "CLICK_IDEMPOTENCY_KEY_REUSED"]);
    expect(outcomes[1]).toMatchObject({ receiptId: (outcomes[0] as { receiptId: string }).receiptId });
    expect(started.batches).toEqual([1]);
  });

  test("when the first comes to nothing, another body takes the key", async () => {
    const orgId = newOrg();
    const sessionId = await newSession(click, orgId);
    const started = startRecorder(pool);
    await submit(started, [newRecord({ orgId, sessionId })]);
    const same = { orgId, key: "k", body: "a", sessionId };
    const outcomes = await submit(started, [
      newRecord(same),
      newRecord(same),
      newRecord({ orgId, key: "k", body: "b" }),
    ]);
    expect(kinds(outcomes)).toEqual(["CLICK_SESSION_CLOSED", "CLICK_SESSION_CLOSED", "recorded"]);
  });
});

describe("what stands in the way", () => {
  test("one record that the database cannot take fails alone", async () => {
    const orgId = newOrg();
    const started = startRecorder(pool);
    const good = times(5).map(() => newRecord({ orgId }));
    const bad = newRecord(
      { orgId },
      { events: [{ eventId: newId(), organizationId: orgId, subject: "s", data: "\u0000" }] },
    );
    expect(kinds(await submit(started, [...good.slice(0, 2), bad, ...good.slice(2)]))).toEqual([
      "recorded",
      "recorded",
      "INTERNAL_ERROR",
      "recorded",
      "recorded",
      "recorded",
    ]);
    expect(started.batches).toEqual([6, 1, 1, 1, 1, 1, 1]);
    expect(await countAcceptances(click, orgId)).toBe(5);
  });

  test.each(["40P01", "40001"])("a collision (%s) is tried again", async (code) => {
    const orgId = newOrg();
    const started = startRecorder(pool, {}, (n) => {
      if (n < 3) throw Object.assign(new Error("collided"), { code });
    });
    expect(kinds(await submit(started, [newRecord({ orgId }), newRecord({ orgId })]))).toEqual([
      "recorded",
      "recorded",
    ]);
    expect(started.batches).toEqual([2, 2, 2]);
  });

  test("an outage fails the whole statement without an attempt on each of its records", async () => {
    const orgId = newOrg();
    const started = startRecorder(pool, {}, (n) => {
      if (n === 1) throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    });
    const records = times(3).map(() => newRecord({ orgId }));
    expect(kinds(await submit(started, records))).toEqual(times(3).map(() => "SERVICE_UNAVAILABLE"));
    expect(started.batches).toEqual([3]);
    expect(kinds(await submit(started, records))).toEqual(times(3).map(() => "recorded"));
  });

  test("a session that somebody else holds for too long is an outage, and nothing is recorded", async () => {
    const orgId = newOrg();
    const sessionId = await newSession(click, orgId);
    const holder = new pg.Client({ connectionString: click.database.superuserUrl });
    await holder.connect();
    await holder.query("begin");
    await holder.query("select from click.session where id = $1 for update", [sessionId]);
    const started = startRecorder(pool);
    const record = newRecord({ orgId, sessionId });
    try {
      expect(kinds(await submit(started, [record, newRecord({ orgId })]))).toEqual(
        times(2).map(() => "SERVICE_UNAVAILABLE"),
      );
      expect(await countAcceptances(click, orgId)).toBe(0);
    } finally {
      await holder.end();
    }
    expect(kinds(await submit(started, [record]))).toEqual(["recorded"]);
  });

  test("a connection that is killed in the middle is an outage; a retry finds out what happened", async () => {
    const orgId = newOrg();
    const sessionId = await newSession(click, orgId);
    const holder = new pg.Client({ connectionString: click.database.superuserUrl });
    await holder.connect();
    await holder.query("begin");
    await holder.query("select from click.session where id = $1 for update", [sessionId]);
    const slow = createPool({
      url: click.database.url,
      role: "assent_click_recorder",
      lockTimeoutMs: 0,
      name: "to be killed",
    });
    const logger = createLogger("test", "silent");
    const recorder = createRecorder({ ...receiptDeps, pool: slow, logger, onRecorded: () => {} });
    const record = newRecord({ orgId, sessionId });
    try {
      const outcome = Promise.all(recorder.submit([record]));
      await until(async () => {
        const killed = await rows(
          click,
          `select pg_terminate_backend(pid) from pg_stat_activity
           where application_name = 'to be killed' and wait_event_type = 'Lock' and datname = current_database()`,
        );
        return killed.length > 0;
      });
      expect(kinds(await outcome)).toEqual(["SERVICE_UNAVAILABLE"]);
      await holder.query("rollback");
      expect(kinds(await Promise.all(recorder.submit([record])))).toEqual(["recorded"]);
    } finally {
      await holder.end();
      await slow.end();
    }
  });
});
