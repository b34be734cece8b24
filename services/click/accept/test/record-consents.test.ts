import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { newId, type OrgId } from "#platform/ids.ts";
import type { AcceptedConsent } from "../../consent/consent-plan.ts";
import { brokenHistories } from "../../consent/test/consent-checks.ts";
import { type ClickHarness, newOrg, rows, startClick } from "../../test/harness.ts";
import { type AcceptanceRecord, recordAcceptances } from "../record-statement.ts";
import { newRecord, newSession, recorderPool, startRecorder, submit } from "./record-fixtures.ts";

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

const consentOf = (purpose: string, changes: Partial<AcceptedConsent> = {}): AcceptedConsent => ({
  eventId: newId(),
  purpose,
  type: "GRANTED",
  legalBasis: "CONSENT",
  jurisdiction: null,
  locale: "en",
  contentHash: "sha256:0",
  method: "BUTTON",
  expiresAt: null,
  ...changes,
});

/** A user as the records name one. */
const userNamed = (n: number) => ({ subjectIndex: Buffer.alloc(16, n), userKey: Buffer.alloc(16, 100 + n) });

const consenting = (orgId: OrgId, purposes: readonly string[], changes: Partial<AcceptanceRecord> = {}) =>
  newRecord({ orgId }, { consents: purposes.map((purpose) => consentOf(purpose)), ...changes });

/** The names of the statements that the recorder sends. */
async function statementsFor(records: readonly AcceptanceRecord[]): Promise<unknown[]> {
  const names: unknown[] = [];
  const query = (config: pg.QueryConfig) => {
    names.push(config.name);
    return pool.query(config);
  };
  await recordAcceptances({ query } as unknown as pg.Pool, records);
  return names;
}

describe("the record statement", () => {
  test("is another one only for batches that contain consents", async () => {
    const orgId = newOrg();
    const session = async () => newRecord({ orgId, sessionId: await newSession(click, orgId) });
    const plain = () => newRecord({ orgId });
    expect(await statementsFor([plain()])).toEqual(["click-record-direct"]);
    expect(await statementsFor([plain(), await session()])).toEqual(["click-record"]);
    expect(await statementsFor([plain(), consenting(orgId, ["a"])])).toEqual(["click-record-direct-consents"]);
    expect(await statementsFor([await session(), consenting(orgId, ["a"])])).toEqual(["click-record-consents"]);
  });

  test("numbers the changes of each user, in the order of acceptances and purposes", async () => {
    const orgId = newOrg();
    const [ann, bob] = [userNamed(1), userNamed(2)];
    const first = consenting(orgId, ["b", "a"], { ...ann, acceptedAt: new Date("2026-11-20T10:00:00.000Z") });
    const second = consenting(orgId, ["c"], { ...ann, acceptedAt: new Date("2026-11-20T10:00:01.000Z") });
    const third = consenting(orgId, ["a"], bob);
    await recordAcceptances(pool, [third, second, first]);
    // A process whose clock is behind: the time does not go back.
    await recordAcceptances(pool, [
      consenting(orgId, ["d"], { ...ann, acceptedAt: new Date("2026-11-20T09:00:00.000Z") }),
    ]);
    const found = await rows<{ subject: Buffer; revision: string; purpose: string; recorded_at: Date }>(
      click,
      `select subject_index as subject, revision, purpose, recorded_at from click.consent_event
       where organization_id = $1 order by subject_index, revision`,
      [orgId],
    );
    expect(found.map((row) => `${row.subject[0]} ${row.revision} ${row.purpose}`)).toEqual([
      "1 1 b",
      "1 2 a",
      "1 3 c",
      "1 4 d",
      "2 1 a",
    ]);
    expect(found[3]?.recorded_at.toISOString()).toBe("2026-11-20T10:00:01.000Z");
    expect(await brokenHistories(click)).toEqual([]);
  });

  test("writes no consent of an acceptance whose key was taken or whose session is closed", async () => {
    const orgId = newOrg();
    const sessionId = await newSession(click, orgId);
    await recordAcceptances(pool, [newRecord({ orgId, key: "taken" }), newRecord({ orgId, sessionId })]);
    const consents = [consentOf("a")];
    const late = [newRecord({ orgId, key: "taken" }, { consents }), newRecord({ orgId, sessionId }, { consents })];
    expect((await recordAcceptances(pool, late)).size).toBe(0);
    expect(await rows(click, "select from click.consent_event where organization_id = $1", [orgId])).toEqual([]);
    expect(await rows(click, "select from click.consent_head where organization_id = $1", [orgId])).toEqual([]);
  });

  test("notes when grants will end", async () => {
    const orgId = newOrg();
    const expiresAt = new Date("2027-01-01T00:00:00Z");
    const consents = [consentOf("a"), consentOf("b", { expiresAt })];
    const ann = userNamed(1);
    await recordAcceptances(pool, [newRecord({ orgId }, { ...ann, consents })]);
    const scheduled = await rows(
      click,
      "select subject_index, user_key, revision, expires_at from click.consent_deadline where organization_id = $1",
      [orgId],
    );
    expect(scheduled).toEqual([
      { subject_index: ann.subjectIndex, user_key: ann.userKey, revision: "2", expires_at: expiresAt },
    ]);
  });
});

describe("the recorder", () => {
  test("puts one acceptance of a user's consent into a statement, and never lets two statements wait for each other", async () => {
    const orgId = newOrg();
    const started = startRecorder(pool);
    const records = [1, 2, 3].flatMap(() => [
      consenting(orgId, ["a"], userNamed(1)),
      newRecord({ orgId }, userNamed(1)),
    ]);
    const outcomes = await submit(started, records);
    expect(outcomes.every(({ kind }) => kind === "recorded")).toBe(true);
    // What changes no consent goes at once; the changes follow one after the other.
    expect(started.batches).toEqual([4, 1, 1]);
    expect(started.mostRunning()).toBe(1);
  });
});
