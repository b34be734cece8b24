import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { OrgId } from "#platform/ids.ts";
import { poolThatDies, type When } from "../../accept/test/dying-pool.ts";
import { consentActions, consentTemplate, decide } from "../../consent/test/consent-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { acceptOne, type ClickHarness, callerOf, rows, startClick } from "../../test/harness.ts";
import { eraseDue } from "../erase-due.ts";
import { type EraseUserDeps, eraseUser } from "../erase-user.ts";
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

const { addTemplate, create, accept, acceptTemplate } = clientActions(() => click);
const { update } = consentActions(() => click);
const { erase } = erasureActions(() => click);

const tables = [
  "acceptance",
  "session",
  "session_event",
  "session_deadline",
  "sealed_rendering",
  "consent_event",
  "consent_head",
  "consent_deadline",
  "subject_key",
  "log_head",
  "log_leaf",
  "outbox",
  "erasure",
];

const everythingOf = (orgId: OrgId) =>
  Promise.all(
    tables.map(async (table) => {
      const sql = `select row_to_json(t)::text as row from click.${table} t where organization_id = $1 order by 1`;
      return (await rows<{ row: string }>(click, sql, [orgId])).map(({ row }) => row);
    }),
  );

/** A user with something of every kind, part of which must be kept. */
async function leaveTraces(): Promise<OrgId> {
  const kept = addTemplate({ policyFlags: { retentionDays: 1 } });
  const orgId = orgOf(kept);
  const free = click.templates.add(orgId);
  const consent = click.templates.add(orgId, consentTemplate([{ key: "news", expiresAfterDays: 30 }]));
  for (const template of [kept, free]) {
    const session = await create(template, { userRef: "ann" });
    await accept(template, { sessionId: session.id });
  }
  await create(free, { userRef: "ann" });
  await acceptTemplate(kept, { userRef: "ann" });
  const body = { templateId: consent.templateId, userRef: "ann", ...decide({ news: true }) };
  await acceptOne(click.client, { orgId, key: "consent", body });
  await update(orgId, { news: "WITHDRAW" }, { userRef: "ann" });
  return orgId;
}

const ann = { userRef: "ann", reason: "OTHER", holdMark: 0 } as const;

/** Erases with connections of which the first dies at this statement; false when there are not so many statements. */
async function eraseDying(statement: number, when: When, work: (deps: ErasureParts["deps"]) => Promise<unknown>) {
  const dying = poolThatDies(parts.deps.eraserPool, click.superuser, { statement, when });
  const outcome = work({ ...parts.deps, eraserPool: dying.pool });
  await outcome.then(
    () => expect(dying.hasDied()).toBe(false),
    () => expect(dying.hasDied()).toBe(true),
  );
  return dying.hasDied();
}

/** Statements of an erasure at most; it is a defect of this test when there are more. */
const manyStatements = 60;

const isCommit = (before: readonly string[][], after: readonly string[][]) =>
  JSON.stringify(before) !== JSON.stringify(after);

describe.each(["before", "after"] as const)("a connection that dies %s a statement", (when) => {
  test("leaves a user either as before or erased, and the next call does what is left", async () => {
    const eraseAnn = (orgId: OrgId) => (deps: EraseUserDeps) => eraseUser(deps, callerOf(orgId), ann);
    let statement = 1;
    let committed = 0;
    for (; statement < manyStatements; statement += 1) {
      const orgId = await leaveTraces();
      const before = await everythingOf(orgId);
      if (!(await eraseDying(statement, when, eraseAnn(orgId)))) break;
      const hasErased = isCommit(before, await everythingOf(orgId));
      if (hasErased) committed += 1;
      const { erased, restricted, complete } = await erase(orgId, "ann");
      expect([statement, erased.receipts.length, erased.sessions.length]).toEqual([
        statement,
        ...(hasErased ? [0, 0] : [2, 2]),
      ]);
      expect([restricted.length, complete]).toEqual([2, true]);
      const leaves = await rows(
        click,
        `select from click.log_leaf where organization_id = $1
         and convert_from(leaf, 'UTF8')::json ->> 'kind' = 'click.erasure'`,
        [orgId],
      );
      expect([statement, leaves.length]).toEqual([statement, 1]);
    }
    expect(statement).toBeGreaterThan(15);
    expect(statement).toBeLessThan(manyStatements);
    // Only when the answer to the commit is lost, the erasure is not.
    expect(committed).toBe(when === "after" ? 1 : 0);
  });

  test("leaves due records either as before or erased, and the next round does what is left", async () => {
    let statement = 1;
    for (; statement < manyStatements; statement += 1) {
      const orgId = await leaveTraces();
      await erase(orgId, "ann");
      click.clock.advance(86_400);
      const before = await everythingOf(orgId);
      if (!(await eraseDying(statement, when, eraseDue))) break;
      const left = () =>
        rows(click, "select from click.subject_key where organization_id = $1", [orgId]).then((found) => found.length);
      expect([statement, await left()]).toEqual([statement, isCommit(before, await everythingOf(orgId)) ? 0 : 3]);
      await parts.eraseDue();
      expect([statement, await left()]).toEqual([statement, 0]);
    }
    expect(statement).toBeGreaterThan(10);
    expect(statement).toBeLessThan(manyStatements);
  });
});
