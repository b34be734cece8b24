import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import type { OrgId } from "#platform/ids.ts";
import { consentActions } from "../../consent/test/consent-actions.ts";
import { leavesOf } from "../../log/test/signed-leaves.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { as, type ClickHarness, rows, startClick } from "../../test/harness.ts";
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

  test("waits while nobody has confirmed that the database went back, which has forgotten holds", async () => {
    const template = generated(7);
    const orgId = orgOf(template);
    const { receipt } = await acceptTemplate(template, { userRef: "ann", data: { fullName: "Ann Lee" } });
    const old = await acceptTemplate(click.templates.add(orgId), { userRef: "bob" });
    await erase(orgId, "ann");
    click.clock.advance(7 * daySeconds);
    const over = { ids: [old.receipt.receiptId], before: timestampFromDate(click.clock.now()) };
    await rows(
      click,
      `insert into click.log_epoch (organization_id, epoch, first_index, tree_size, missing_from, former_epoch, former_size,
         former_note, opened_at) values ($1, 2, 3, 3, 3, 1, 5, '', now())`,
      [orgId],
    );
    await parts.eraseDue();
    expect(await click.retention.removeOld(over, as(orgId))).toMatchObject({ keptIds: over.ids });
    expect((await receiptOf(orgId, receipt.receiptId)).erased).toBe(false);
    await rows(click, "delete from click.log_epoch where organization_id = $1", [orgId]);
    await parts.eraseDue();
    expect(await click.retention.removeOld(over, as(orgId))).toMatchObject({ keptIds: [] });
    expect((await receiptOf(orgId, receipt.receiptId)).erased).toBe(true);
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

describe("the period of an organization", () => {
  const all = 200;
  const period = (orgId: OrgId, days = 30) => {
    const request = { before: timestampFromDate(new Date(click.clock.now().getTime() - days * 86_400_000)) };
    return {
      count: async () => (await click.retention.countOld(request, as(orgId))).records,
      list: async (limit = all) => {
        const found: { id: string; addresses: string[] }[] = [];
        let cursor = "";
        do {
          const page = await click.retention.listOld({ ...request, limit, cursor, withAddresses: true }, as(orgId));
          found.push(...page.records);
          cursor = page.nextCursor;
        } while (cursor !== "");
        return found;
      },
      remove: async (ids: string[], onlyLook = false) =>
        (await click.retention.removeOld({ ...request, ids, onlyLook }, as(orgId))).keptIds.sort(),
    };
  };

  test("erases what is older with its sessions, once, and says so in the log; what proves stays", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const session = await create(template, { userRef: "ann@example.com" });
    const { receipt } = await accept(template, { sessionId: session.id });
    const left = await create(template, { userRef: "bo", metadata: { mail: "bo@example.com" } });
    click.clock.advance(31 * daySeconds);
    const open = await create(template, { userRef: "cy" });
    const recent = (await acceptTemplate(template, { userRef: "ann@example.com" })).receipt.receiptId;
    const { count, list, remove } = period(orgId);
    expect(await count()).toBe(1);
    const old = [receipt.receiptId, left.id].sort();
    for (const limit of [1, all]) {
      const found = await list(limit);
      expect(found.map(({ id }) => id)).toEqual(old);
      expect(found.map(({ addresses }) => addresses.some((one) => /^(ann|bo)@example\.com$/.test(one)))).toEqual([
        true,
        true,
      ]);
    }
    expect(await remove(old, true)).toEqual(old);
    const leaves = (await leavesOf(click, orgId)).length;
    for (let times = 0; times < 2; times += 1) {
      expect(await remove([...old, recent, open.id])).toEqual([recent, open.id].sort());
    }
    expect(await leavesOf(click, orgId)).toHaveLength(leaves + 1);
    const leaf = JSON.parse(String((await leavesOf(click, orgId)).at(-1)?.leaf));
    expect(leaf).toMatchObject({ kind: "click.erasure", receipts: [receipt.receiptId], reason: "RETENTION_OVER" });
    expect(leaf.sessions.sort()).toEqual([session.id, left.id].sort());
    expect(await receiptOf(orgId, receipt.receiptId)).toMatchObject({ erased: true });
    expect(await get(template, session.id)).toMatchObject({ erased: true });
    expect(await receiptOf(orgId, recent)).toMatchObject({ erased: false });
    expect(await list()).toEqual([]);
  });

  test("waits for the time that the terms demand, and for what a template holds; consent that counts stays", async () => {
    const long = addTemplate({ policyFlags: { retentionDays: 60 } });
    const held = addTemplate({ policyFlags: { legalHold: true } });
    const consent = addConsent(["news", "ads"]);
    const receipts = await Promise.all([acceptTemplate(long), acceptTemplate(held)]);
    const first = await acceptConsent(consent, { news: true, ads: true });
    click.clock.advance(31 * daySeconds);
    for (const [index, template] of [long, held].entries()) {
      const { list, remove } = period(orgOf(template));
      expect(await list()).toEqual([]);
      const id = String(receipts[index]?.receipt.receiptId);
      expect(await remove([id])).toEqual([id]);
    }
    const { list, remove } = period(orgOf(consent));
    expect(await list()).toEqual([]);
    await acceptConsent(consent, { news: false, ads: true });
    expect((await list()).map(({ id }) => id)).toEqual([first.receipt.receiptId]);
    expect(await remove([first.receipt.receiptId])).toEqual([]);
    const { consents } = await read(orgOf(consent));
    expect(consents.map(({ purpose }) => purpose).sort()).toEqual(["ads", "news"]);
    click.clock.advance(30 * daySeconds);
    expect((await period(orgOf(long)).list()).length).toBe(1);
    expect((await period(orgOf(held)).list()).length).toBe(0);
  });
});
