import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { countAcceptances } from "../../test/actions.ts";
import { type ClickHarness, newOrg, startClick } from "../../test/harness.ts";
import { recordAcceptances } from "../record-statement.ts";
import { kinds, newRecord, newSession, recorderPool, startRecorder, statusOf, submit } from "./record-fixtures.ts";

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

describe("the record statement", () => {
  test("undoes everything when an acceptance did not move its session", async () => {
    const orgId = newOrg();
    const sessionId = await newSession(click, orgId);
    const twice = [newRecord({ orgId, sessionId }), newRecord({ orgId, sessionId }), newRecord({ orgId })];
    await expect(recordAcceptances(pool, twice)).rejects.toMatchObject({ code: "CK001" });
    expect(await countAcceptances(click, orgId)).toBe(0);
    expect(await statusOf(click, sessionId)).toBe("PENDING");
  });

  test("the recorder survives that and decides one by one", async () => {
    const orgId = newOrg();
    const started = startRecorder(pool, {}, (n) => {
      if (n === 1) throw Object.assign(new Error("2 acceptances of sessions, but 1 sessions moved"), { code: "CK001" });
    });
    expect(kinds(await submit(started, [newRecord({ orgId }), newRecord({ orgId })]))).toEqual([
      "recorded",
      "recorded",
    ]);
    expect(started.batches).toEqual([2, 1, 1]);
  });

  test("leaves a session alone when the key was taken, and a key alone when the session is closed", async () => {
    const orgId = newOrg();
    const [open, closed] = [await newSession(click, orgId), await newSession(click, orgId)];
    const taken = newRecord({ orgId, key: "taken" });
    await recordAcceptances(pool, [taken, newRecord({ orgId, sessionId: closed })]);
    const late = [
      newRecord({ orgId, key: "taken", sessionId: open }),
      newRecord({ orgId, key: "free", sessionId: closed }),
    ];
    expect(await recordAcceptances(pool, late)).toEqual(new Map());
    expect(await statusOf(click, open)).toBe("PENDING");
    expect(await recordAcceptances(pool, [newRecord({ orgId, key: "free" })])).toHaveProperty("size", 1);
  });

  test("does not take a session whose time is over", async () => {
    const orgId = newOrg();
    const sessionId = await newSession(click, orgId);
    const acceptedAt = new Date(click.clock.now().getTime() + 3600_001);
    expect(await recordAcceptances(pool, [newRecord({ orgId, sessionId }, { acceptedAt })])).toEqual(new Map());
    const started = startRecorder(pool);
    expect(kinds(await submit(started, [newRecord({ orgId, sessionId }, { acceptedAt })]))).toEqual([
      "CLICK_SESSION_EXPIRED",
    ]);
  });

  test("does not touch a session of another organization", async () => {
    const sessionId = await newSession(click, newOrg());
    expect(await recordAcceptances(pool, [newRecord({ orgId: newOrg(), sessionId })])).toEqual(new Map());
    expect(await statusOf(click, sessionId)).toBe("PENDING");
  });

  test("binds a session without a user to the first one, and takes no other", async () => {
    const orgId = newOrg();
    const sessionId = await newSession(click, orgId);
    const reusable = { id: sessionId, to: "ACCEPTED", outcome: null, sealedReason: null, reusable: true } as const;
    const started = startRecorder(pool);
    const accept = (userRef: string) => newRecord({ orgId }, { userRef, session: reusable });
    const outcomes = await submit(started, [accept("ann"), accept("bob"), accept("ann")]);
    expect(kinds(outcomes)).toEqual(["recorded", "CLICK_USER_REF_MISMATCH", "recorded"]);
  });
});
