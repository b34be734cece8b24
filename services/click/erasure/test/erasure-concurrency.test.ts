import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { OrgId } from "#platform/ids.ts";
import { consentActions, consentTemplate, decide } from "../../consent/test/consent-actions.ts";
import { leavesOf } from "../../log/test/signed-leaves.ts";
import { settled, startWorkers } from "../../stats/test/stats-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { acceptOne, type ClickHarness, type ClickInstance, codeOf, rows, startClick } from "../../test/harness.ts";
import { sweepNow } from "../../test/sweeping.ts";
import { createKeyHasher, createSubjectVault } from "../../vault/subject-vault.ts";
import { erasureActions } from "./erasure-actions.ts";
import { countRows, findWrong } from "./erasure-checks.ts";

let click: ClickHarness;
let instances: readonly ClickInstance[];
let stopWorkers: () => Promise<void>;
beforeAll(async () => {
  click = await startClick();
  instances = [click, await click.startAnother()];
  stopWorkers = await startWorkers(...instances);
});
afterAll(async () => {
  await stopWorkers();
  await click.close();
});

const { addTemplate, create } = clientActions(() => click);
const { addConsent, acceptConsent, update } = consentActions(() => click);
const { erase } = erasureActions(() => click);

/** Refusals that have their reason in an erasure that came first. */
const expectedCodes = ["ok", "CLICK_SESSION_CLOSED"];

let keys = 0;

/** One of everything that a user may do, and two erasures, all at once. */
async function everythingAtOnce(contract: FakeTemplate, consent: FakeTemplate): Promise<string[]> {
  const orgId = orgOf(contract);
  const userRef = "ann";
  const [open, nobodys] = await Promise.all([create(contract, { userRef }), create(contract, {})]);
  const bodies = [
    { sessionId: open.id },
    { sessionId: nobodys.id, userRef },
    { templateId: contract.templateId, userRef },
    { templateId: consent.templateId, userRef, ...decide({ news: true, ads: false }) },
  ];
  const instance = (n: number) => instances[n % instances.length] as ClickInstance;
  return Promise.all([
    ...bodies.map((body, n) => codeOf(acceptOne(instance(n).client, { orgId, key: `k-${++keys}`, body }))),
    codeOf(update(orgId, { ads: "GRANT" }, { userRef }, instance(0))),
    codeOf(update(orgId, { news: "WITHDRAW" }, { userRef }, instance(1))),
    ...instances.map((one) => codeOf(erase(orgId, userRef, "", one))),
  ]);
}

async function erasedByLog(orgId: OrgId): Promise<string[]> {
  const leaves = (await leavesOf(click, orgId)).filter(({ kind }) => kind === "click.erasure");
  return leaves.flatMap(({ leaf }) => {
    const { receipts, sessions } = JSON.parse(leaf.toString("utf8"));
    return [...receipts, ...sessions];
  });
}

async function erasedByRows(orgId: OrgId): Promise<string[]> {
  const found = await rows<{ id: string }>(
    click,
    `select receipt_id as id from click.acceptance where organization_id = $1 and erased_at is not null
     union select id from click.session where organization_id = $1 and erased_at is not null
     union select receipt_id from click.consent_event where organization_id = $1 and erased_at is not null`,
    [orgId],
  );
  return found.map(({ id }) => id);
}

describe("erasing a user who goes on accepting, with two processes", () => {
  test("erases each record once and whole, or leaves it whole", async () => {
    const contract = addTemplate();
    const orgId = orgOf(contract);
    const consent = click.templates.add(orgId, consentTemplate([{ key: "news", expiresAfterDays: 30 }, "ads"]));
    for (let round = 0; round < 25; round += 1) {
      const codes = await everythingAtOnce(contract, consent);
      expect(codes.filter((code) => !expectedCodes.includes(code))).toEqual([]);
      expect([round, await findWrong(click, orgId)]).toEqual([round, []]);
    }
    expect((await erase(orgId, "ann")).complete).toBe(true);
    expect(await findWrong(click, orgId)).toEqual([]);
    // Each is named by the log once.
    expect((await erasedByLog(orgId)).sort()).toEqual((await erasedByRows(orgId)).sort());
    // Nothing is left but sessions that nobody has accepted.
    const left = await countRows(
      click,
      `click.subject_key k where organization_id = $1 and not exists (
         select from click.session s where s.id = k.record_id and s.subject_index is null and s.erased_at is null)`,
      [orgId],
    );
    expect(left).toBe(0);
    const indexes = await rows<{ i: string }>(
      click,
      "select leaf_index as i from click.log_leaf where organization_id = $1 order by leaf_index",
      [orgId],
    );
    expect(indexes.map(({ i }) => Number(i))).toEqual(indexes.map((_, n) => n));
  });

  test("gets along with the sweeper, which tells of grants that have run out", async () => {
    const templates = Array.from({ length: 8 }, () =>
      addConsent([
        { key: "news", expiresAfterDays: 1 },
        { key: "ads", expiresAfterDays: 2 },
      ]),
    );
    for (const days of [0, 1, 1]) {
      const users = templates.flatMap((template) => ["ann", "bob"].map((userRef) => ({ template, userRef })));
      await Promise.all(
        users.map(({ template, userRef }) => acceptConsent(template, { news: true, ads: true }, { userRef })),
      );
      click.clock.advance(days * 86_400 + 1);
      const codes = await Promise.all([
        ...instances.map((one) => codeOf(sweepNow(one))),
        ...users.map(({ template, userRef }, n) => codeOf(erase(orgOf(template), userRef, "", instances[n % 2]))),
      ]);
      expect(codes.filter((code) => code !== "ok")).toEqual([]);
    }
    await sweepNow(click);
    for (const template of templates) {
      expect(await findWrong(click, orgOf(template))).toEqual([]);
      const left = ["consent_head", "consent_deadline", "subject_key"].map((table) =>
        countRows(click, `click.${table} where organization_id = $1`, [orgOf(template)]),
      );
      expect(await Promise.all(left)).toEqual([0, 0, 0]);
    }
  });

  test("leaves nothing in the statistics that leads to the user, however late events are counted", async () => {
    const contract = addTemplate();
    const orgId = orgOf(contract);
    const consent = click.templates.add(orgId, consentTemplate(["news", "ads"]));
    for (let round = 0; round < 15; round += 1) await everythingAtOnce(contract, consent);
    await erase(orgId, "ann");
    await settled(click, orgId);
    const userKey = createKeyHasher(() => click.masterKey).userKey(orgId, "ann");
    const counted = await rows<{ n: number; known: number }>(
      click,
      `select count(*)::int as n, (count(*) filter (where user_key = $2))::int as known
       from click.stat_user where organization_id = $1`,
      [orgId, userKey],
    );
    expect(counted[0]?.n).toBeGreaterThan(0);
    expect(counted[0]?.known).toBe(0);
    const index = createSubjectVault([click.masterKey], () => click.masterKey).subjectIndex(orgId, "ann");
    const known = await Promise.all(
      ["acceptance", "session", "consent_event", "consent_head", "consent_deadline"].map((table) =>
        countRows(click, `click.${table} where organization_id = $1 and subject_index = $2`, [orgId, index]),
      ),
    );
    expect(known).toEqual([0, 0, 0, 0, 0]);
  });
});
