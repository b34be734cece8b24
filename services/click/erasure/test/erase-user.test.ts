import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SessionStatus } from "#gen/assent/click/v1/click_pb.ts";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import type { OrgId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { consentActions, statuses } from "../../consent/test/consent-actions.ts";
import { leavesOf } from "../../log/test/signed-leaves.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { acceptOne, as, type ClickHarness, codeOf, newOrg, rows, startClick } from "../../test/harness.ts";
import { erasureActions } from "./erasure-actions.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, get, complete, accept, acceptTemplate } = clientActions(() => click);
const { addConsent, read, update, acceptConsent } = consentActions(() => click);
const { erase, receiptOf } = erasureActions(() => click);

const eventsOf = (orgId: OrgId, subject: string) =>
  rows<{ data: string }>(
    click,
    "select data from click.outbox where organization_id = $1 and subject = $2 order by position",
    [orgId, subject],
  ).then((found) => found.map(({ data }) => JSON.parse(data)));

const withheld = { userRef: null, idempotencyKey: null, purposes: [], verification: [] };

describe("erasing a user", () => {
  test("answers what was erased, and its place in the log", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const session = await create(template, { userRef: "ann" });
    const { receipt } = await accept(template, { sessionId: session.id });
    const direct = await acceptTemplate(template, { userRef: "ann" });
    await acceptTemplate(template, { userRef: "bob" });
    const change = await update(orgId, { news: "WITHDRAW" }, { userRef: "ann" });
    const answer = await erase(orgId, "ann", "WITHDRAWAL");
    const { erasureId, erased, requestedAt } = answer;
    expect(erased).toEqual({
      receipts: [receipt.receiptId, direct.receipt.receiptId].sort(),
      sessions: [session.id],
      consentChanges: change.receipts.map((one) => one.receiptId),
    });
    expect(answer).toMatchObject({ userRef: null, complete: true, restricted: [] });
    expect(answer.kept.length).toBeGreaterThan(0);
    const leaf = (await leavesOf(click, orgId)).at(-1);
    expect(JSON.parse(String(leaf?.leaf))).toEqual({
      v: 1,
      kind: "click.erasure",
      iss: "https://assent.localhost",
      org: orgId,
      eid: erasureId,
      receipts: [...erased.receipts, ...erased.consentChanges],
      sessions: erased.sessions,
      restricted: [],
      kept: [],
      reason: "WITHDRAWAL",
      requestedAt,
    });
    expect(answer.log).toEqual({
      logId: orgId,
      origin: `assent.localhost/click/log/${orgId}`,
      leafIndex: leaf?.leafIndex,
      leafHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      integrateBy: new Date(Date.parse(requestedAt) + 60_000).toISOString(),
    });
    expect(await eventsOf(orgId, "assent.click.user.erased")).toMatchObject([
      { aggregateId: erasureId, userErased: { erasureId, sessionIds: [session.id] } },
    ]);
    const stored = await rows(click, "select client_id, request_id from click.erasure where id = $1", [erasureId]);
    expect(stored).toEqual([{ client_id: "cl_test", request_id: "req-1" }]);
  });

  test("leaves receipts that say nothing about the user, in the same place of the log", async () => {
    const template = addTemplate({ policyFlags: { singleUseSession: false } });
    const orgId = orgOf(template);
    const { receipt } = await acceptTemplate(template, { userRef: "ann", metadata: { plan: "gold" } });
    const change = await update(orgId, { news: "DENY" }, { userRef: "ann", reason: "too many" });
    await erase(orgId, "ann");
    expect(await receiptOf(orgId, receipt.receiptId)).toEqual({ ...receipt, ...withheld, erased: true });
    const [before] = change.receipts;
    expect(await receiptOf(orgId, String(before?.receiptId))).toEqual({
      ...before,
      userRef: null,
      actor: { type: "USER", id: null },
      reason: null,
      idempotencyKey: null,
      erased: true,
    });
  });

  test("does not let what was recorded be recorded again", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const body = { templateId: template.templateId, userRef: "ann" };
    const item = { orgId, key: "signup-1", body };
    const { receipt } = await acceptOne(click.client, item);
    await erase(orgId, "ann");
    const again = await acceptOne(click.client, item);
    expect(again).toMatchObject({ replayed: true, receipt: { ...receipt, ...withheld, erased: true } });
    const other = { ...item, body: { ...body, userRef: "bob" } };
    await expectDomainError(acceptOne(click.client, other), "CLICK_IDEMPOTENCY_KEY_REUSED");
  });

  test("ends the sessions that wait for the user, and only those", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const [open, declined, another] = await Promise.all([
      create(template, { userRef: "ann" }),
      create(template, { userRef: "ann" }),
      create(template, { userRef: "bob" }),
    ]);
    await complete(template, declined.id, { reason: "no" });
    const { erased } = await erase(orgId, "ann");
    expect(erased.sessions).toEqual([open.id, declined.id].sort());
    expect(await get(template, open.id)).toMatchObject({ status: SessionStatus.CANCELLED, erased: true });
    expect(await get(template, declined.id)).toMatchObject({ status: SessionStatus.COMPLETED, erased: true });
    expect(await get(template, another.id)).toMatchObject({ status: SessionStatus.PENDING, userRef: "bob" });
    expect(await codeOf(accept(template, { sessionId: open.id, userRef: "ann" }))).toBe("CLICK_SESSION_CLOSED");
    const cancelled = await eventsOf(orgId, "assent.click.session.cancelled");
    expect(cancelled.map((event) => event.sessionCancelled.sessionId)).toEqual([open.id]);
  });

  test("finds the sessions that were made for nobody in particular, once the user has accepted them", async () => {
    const template = addTemplate();
    const session = await create(template, { metadata: { seat: "12a" } });
    await accept(template, { sessionId: session.id, userRef: "ann" });
    expect((await erase(orgOf(template), "ann")).erased.sessions).toEqual([session.id]);
    expect(await get(template, session.id)).toMatchObject({ erased: true, metadata: {} });
  });

  test("forgets what a GENERATED text was shown with", async () => {
    const template = addTemplate({ type: TemplateType.GENERATED, versions: [] });
    click.templates.addVersion(template, { content: "<p>Dear {{fullName}}</p>" });
    const session = await create(template, { userRef: "ann", data: { fullName: "Ann Lee" } });
    await accept(template, { sessionId: session.id });
    const direct = await acceptTemplate(template, { userRef: "ann", data: { fullName: "Ann Lee" } });
    const renderings = () =>
      rows(click, "select from click.sealed_rendering where organization_id = $1", [orgOf(template)]);
    expect(await renderings()).toHaveLength(2);
    await erase(orgOf(template), "ann");
    expect(await renderings()).toEqual([]);
    expect((await get(template, session.id)).renderHash).toBeUndefined();
    expect((await receiptOf(orgOf(template), direct.receipt.receiptId)).renderHash).toBeNull();
  });

  test("takes consent away, and lets the user begin anew", async () => {
    const template = addConsent([{ key: "news", expiresAfterDays: 30 }, "ads"]);
    const orgId = orgOf(template);
    await acceptConsent(template, { news: true, ads: false }, { userRef: "ann" });
    await update(orgId, { ads: "GRANT" }, { userRef: "ann" });
    await erase(orgId, "ann");
    const state = await read(orgId, { userRef: "ann", includeHistory: true });
    expect(state).toMatchObject({ revision: 0n, consents: [], agreements: [], history: [] });
    for (const table of ["consent_head", "consent_deadline", "subject_key"]) {
      expect(await rows(click, `select from click.${table} where organization_id = $1`, [orgId])).toEqual([]);
    }
    // What was together stays together, in its order.
    const events = await rows<{ revision: string }>(
      click,
      `select revision, count(*) over (partition by subject_index)::int as together from click.consent_event
       where organization_id = $1 order by revision`,
      [orgId],
    );
    expect(events).toEqual(["1", "2", "3"].map((revision) => ({ revision, together: 3 })));
    const again = await acceptConsent(template, { news: true, ads: true }, { userRef: "ann" });
    expect(again.receipt.userRef).toBe("ann");
    expect(statuses(await read(orgId, { userRef: "ann" }))).toEqual({ news: "GRANTED", ads: "GRANTED" });
  });

  test("lets the user accept a text again that may be accepted once", async () => {
    const template = addTemplate({ policyFlags: { oneAcceptancePerRevision: true } });
    await acceptTemplate(template, { userRef: "ann" });
    await expectDomainError(acceptTemplate(template, { userRef: "ann" }), "CLICK_ALREADY_ACCEPTED");
    await erase(orgOf(template), "ann");
    expect((await acceptTemplate(template, { userRef: "ann" })).receipt.userRef).toBe("ann");
  });

  test("leaves nothing to find by the user", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    await acceptTemplate(template, { userRef: "ann" });
    await erase(orgId, "ann");
    const { receiptsJson } = await click.client.listAcceptances({ userRef: "ann", limit: 10 }, as(orgId));
    expect(receiptsJson).toEqual([]);
  });
});

const nothing = { receipts: [], sessions: [], consentChanges: [] };

describe("erasing nobody", () => {
  test.each([
    ["somebody unknown", "nobody"],
    ["another user with the same name elsewhere", "ann"],
  ])("%s answers that nothing was erased, and leaves no trace", async (_, userRef) => {
    const elsewhere = addTemplate();
    const { receipt } = await acceptTemplate(elsewhere, { userRef });
    const orgId = newOrg();
    const answer = await erase(orgId, userRef);
    const empty = { erasureId: null, erased: nothing, restricted: [], kept: [], log: null, complete: true };
    expect(answer).toMatchObject({ ...empty, userRef: null });
    expect(await leavesOf(click, orgId)).toEqual([]);
    expect(await eventsOf(orgId, "assent.click.user.erased")).toEqual([]);
    expect(await rows(click, "select from click.erasure where organization_id = $1", [orgId])).toEqual([]);
    expect(await receiptOf(orgOf(elsewhere), receipt.receiptId)).toEqual(receipt);
  });

  test("somebody who was erased before answers the same", async () => {
    const template = addTemplate();
    await acceptTemplate(template, { userRef: "ann" });
    const orgId = orgOf(template);
    expect((await erase(orgId, "ann")).erased.receipts).toHaveLength(1);
    const leaves = (await leavesOf(click, orgId)).length;
    expect(await erase(orgId, "ann")).toMatchObject({ erasureId: null, erased: nothing, log: null });
    expect(await leavesOf(click, orgId)).toHaveLength(leaves);
  });

  test("for a reason that there is not is refused", async () => {
    await expectDomainError(erase(newOrg(), "ann", "BECAUSE"), "CLICK_VALIDATION_FAILED");
  });
});
