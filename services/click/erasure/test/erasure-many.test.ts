import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { OrgId } from "#platform/ids.ts";
import { consentActions } from "../../consent/test/consent-actions.ts";
import { leavesOf } from "../../log/test/signed-leaves.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { batchItem, type ClickHarness, callerOf, rows, startClick } from "../../test/harness.ts";
import { eraseDue } from "../erase-due.ts";
import { eraseUser } from "../erase-user.ts";
import { createErasureParts, type ErasureParts, erasureActions } from "./erasure-actions.ts";
import { findWrong } from "./erasure-checks.ts";

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

const { addTemplate, create, accept } = clientActions(() => click);
const { update } = consentActions(() => click);
const { erase } = erasureActions(() => click);

async function acceptOften(template: FakeTemplate, times: number): Promise<void> {
  const orgId = orgOf(template);
  const body = { templateId: template.templateId, userRef: "ann" };
  for (let done = 0; done < times; done += 250) {
    const items = Array.from({ length: Math.min(250, times - done) }, (_, n) =>
      batchItem({ orgId, key: `k-${done + n}`, body }),
    );
    const { results } = await click.client.acceptBatch({ items });
    expect(results.every(({ outcome }) => outcome.case === "receipt")).toBe(true);
  }
}

const erasureLeaves = async (orgId: OrgId) =>
  (await leavesOf(click, orgId))
    .filter(({ kind }) => kind === "click.erasure")
    .map(({ leaf }) => JSON.parse(leaf.toString("utf8")));

describe("a user with many records", () => {
  test("is erased at once, with leaves and events of at most a thousand names each", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    await acceptOften(template, 1_500);
    const answer = await erase(orgId, "ann");
    expect([answer.erased.receipts.length, answer.complete]).toEqual([1_500, true]);
    const leaves = await erasureLeaves(orgId);
    expect(leaves.map(({ eid, receipts }) => [eid, receipts.length])).toEqual([
      [answer.erasureId, 1_000],
      [answer.erasureId, 500],
    ]);
    expect(leaves.flatMap(({ receipts }) => receipts)).toEqual(answer.erased.receipts);
    const events = await rows(
      click,
      "select from click.outbox where organization_id = $1 and subject = 'assent.click.user.erased'",
      [orgId],
    );
    expect(events).toHaveLength(2);
    expect(answer.log?.leafIndex).toBe(1_500);
  });

  test("of whom one transaction can take only a part is erased by asking again", async () => {
    const template = addTemplate({ policyFlags: { singleUseSession: false } });
    const orgId = orgOf(template);
    const kept = click.templates.add(orgId, { policyFlags: { retentionDays: 30 } });
    const session = await create(template, { userRef: "ann" });
    for (let n = 0; n < 3; n += 1) await accept(template, { sessionId: session.id });
    const keptSession = await create(kept, { userRef: "ann" });
    await accept(kept, { sessionId: keptSession.id });
    await create(template, { userRef: "ann" });
    await update(orgId, { news: "DENY", ads: "DENY" }, { userRef: "ann" });
    const answers: (number | boolean)[][] = [];
    for (let calls = 0; calls < 9; calls += 1) {
      const { erased, restricted, complete } = await eraseUser(
        parts.deps,
        callerOf(orgId),
        { userRef: "ann", reason: "OTHER", holdMark: 0 },
        2,
      );
      const { receipts, sessions, consentChanges } = erased;
      answers.push([receipts.length + consentChanges.length, sessions.length, restricted.length, complete]);
      expect(
        await rows(click, "select from click.session where organization_id = $1 and status = 'PENDING'", [orgId]),
      ).toEqual([]);
      if (complete) break;
    }
    expect(answers.at(-1)?.at(-1)).toBe(true);
    const sums = [0, 1].map((column) => answers.reduce((sum, answer) => sum + Number(answer[column]), 0));
    expect(sums).toEqual([5, 2]);
    expect(answers.length).toBeGreaterThanOrEqual(5);
    expect(await findWrong(click, orgId)).toEqual([]);
    const left = await rows(
      click,
      "select from click.subject_key where organization_id = $1 and restricted_until is not null",
      [orgId],
    );
    expect(left).toHaveLength(2);
    expect(await erase(orgId, "ann")).toMatchObject({ complete: true, log: null });
  });

  test("is erased in several rounds when what was restricted is due", async () => {
    const template = addTemplate({ policyFlags: { retentionDays: 1 } });
    const orgId = orgOf(template);
    await acceptOften(template, 450);
    expect((await erase(orgId, "ann")).restricted).toHaveLength(450);
    click.clock.advance(86_400);
    const other = createErasureParts(click);
    await Promise.all([eraseDue(parts.deps), eraseDue(other.deps)]);
    await other.close();
    expect(await rows(click, "select from click.subject_key where organization_id = $1", [orgId])).toEqual([]);
    const [first, ...rest] = await erasureLeaves(orgId);
    expect([first.restricted.length, first.receipts.length]).toEqual([450, 0]);
    expect(rest.flatMap(({ receipts }) => receipts).sort()).toEqual([...first.restricted].sort());
    expect(await findWrong(click, orgId)).toEqual([]);
  });
});
