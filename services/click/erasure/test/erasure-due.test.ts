import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { consentActions } from "../../consent/test/consent-actions.ts";
import { leavesOf } from "../../log/test/signed-leaves.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { type ClickHarness, rows, startClick } from "../../test/harness.ts";
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

const { addTemplate, create, get, accept, acceptTemplate } = clientActions(() => click);
const { addConsent, read, acceptConsent } = consentActions(() => click);
const { erase, receiptOf } = erasureActions(() => click);

const daySeconds = 86_400;

describe("the worker", () => {
  const generated = (days: number) => {
    const template = addTemplate({
      type: TemplateType.GENERATED,
      versions: [],
      policyFlags: { retentionDays: days },
    });
    click.templates.addVersion(template, { content: "<p>{{fullName}}</p>" });
    return template;
  };

  test("erases restricted records when their time is over, each organization with a leaf of its own", async () => {
    const templates = [generated(7), generated(7)];
    const sessions: string[] = [];
    for (const template of templates) {
      const session = await create(template, { userRef: "ann", data: { fullName: "Ann Lee" } });
      await accept(template, { sessionId: session.id });
      await erase(orgOf(template), "ann");
      sessions.push(session.id);
    }
    const kept = () =>
      rows(click, "select from click.sealed_rendering where record_id = any($1)", [sessions]).then((r) => r.length);
    await parts.eraseDue();
    expect(await kept()).toBe(2);
    click.clock.advance(7 * daySeconds);
    await parts.eraseDue();
    expect(await kept()).toBe(0);
    for (const [index, template] of templates.entries()) {
      const orgId = orgOf(template);
      const session = await get(template, String(sessions[index]));
      expect(session).toMatchObject({ erased: true, restricted: false });
      const leaf = (await leavesOf(click, orgId)).at(-1);
      expect(JSON.parse(String(leaf?.leaf))).toMatchObject({
        kind: "click.erasure",
        receipts: session.receiptIds,
        sessions: [session.id],
        restricted: [],
        reason: "RETENTION_OVER",
      });
      const leaves = (await leavesOf(click, orgId)).length;
      await parts.eraseDue();
      expect(await leavesOf(click, orgId)).toHaveLength(leaves);
      const events = await rows(
        click,
        "select from click.outbox where organization_id = $1 and subject = 'assent.click.user.erased'",
        [orgId],
      );
      expect(events).toHaveLength(2);
    }
  });

  test("leaves what a template holds by now, and looks again a day later", async () => {
    const [held, free] = [generated(7), generated(7)];
    const receipts: string[] = [];
    for (const template of [held, free]) {
      const { receipt } = await acceptTemplate(template, { userRef: "ann", data: { fullName: "Ann Lee" } });
      receipts.push(receipt.receiptId);
      await erase(orgOf(template), "ann");
    }
    const erased = () =>
      Promise.all([held, free].map(async (one, n) => (await receiptOf(orgOf(one), String(receipts[n]))).erased));
    click.clock.advance(7 * daySeconds);
    held.policyFlags = { ...held.policyFlags, legalHold: true };
    await parts.eraseDue();
    expect(await erased()).toEqual([false, true]);
    held.policyFlags = { legalHold: false };
    await parts.eraseDue();
    expect(await erased()).toEqual([false, true]);
    click.clock.advance(daySeconds);
    await parts.eraseDue();
    expect(await erased()).toEqual([true, true]);
  });

  test("lets alone whoever has come back meanwhile", async () => {
    const template = addConsent([{ key: "news", expiresAfterDays: 300 }], { policyFlags: { retentionDays: 7 } });
    const orgId = orgOf(template);
    const old = await acceptConsent(template, { news: true }, { userRef: "ann" });
    await erase(orgId, "ann");
    const back = await acceptConsent(template, { news: true }, { userRef: "ann" });
    click.clock.advance(8 * daySeconds);
    await parts.eraseDue();
    expect(await receiptOf(orgId, old.receipt.receiptId)).toMatchObject({ erased: true });
    expect(await receiptOf(orgId, back.receipt.receiptId)).toEqual(back.receipt);
    expect(await read(orgId, { userRef: "ann" })).toMatchObject({ revision: 2n });
    expect(await rows(click, "select from click.consent_deadline where organization_id = $1", [orgId])).toHaveLength(1);
  });
});
