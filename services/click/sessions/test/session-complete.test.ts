import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SessionOutcome, SessionStatus } from "#gen/assent/click/v1/click_pb.ts";
import { newId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { type Completion, clientActions, countAcceptances, orgOf } from "../../test/actions.ts";
import { acceptOne, as, type ClickHarness, startClick } from "../../test/harness.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, get, complete, accept } = clientActions(() => click);

describe("completeSession", () => {
  test("closes without inventing an acceptance", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    const first = await complete(template, id);
    expect(first.session).toMatchObject({ status: SessionStatus.COMPLETED, outcome: SessionOutcome.NONE });
    expect(first.receipts).toEqual([]);
    expect(await complete(template, id)).toEqual(first);
    expect(await complete(template, id, { outcome: SessionOutcome.DECLINED })).toEqual(first);
    await expectDomainError(complete(template, id, { acceptance: {} }), "CLICK_SESSION_CLOSED");
    await expectDomainError(accept(template, { sessionId: id }), "CLICK_SESSION_CLOSED");
  });

  test("an accepted session stays accepted, whatever is asked for", async () => {
    const template = addTemplate();
    for (const request of [
      {},
      { outcome: SessionOutcome.ACCEPTED },
      { outcome: SessionOutcome.DECLINED },
      { acceptance: {} },
    ]) {
      const { id } = await create(template);
      const { receipt } = await accept(template, { sessionId: id });
      const { session, receipts } = await complete(template, id, request);
      expect(session).toMatchObject({ status: SessionStatus.COMPLETED, outcome: SessionOutcome.ACCEPTED });
      expect(receipts).toEqual([receipt]);
    }
  });

  test("records the acceptance that comes with it, once", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    const acceptance = { action: "CHECKBOX", metadata: { order: "7" } };
    const observed = { ip: "203.0.113.9", userAgent: "backend/1" };
    const first = await complete(template, id, { acceptance, observed });
    expect(first.session).toMatchObject({ status: SessionStatus.COMPLETED, outcome: SessionOutcome.ACCEPTED });
    expect(first.receipts).toMatchObject([
      { sessionId: id, action: "CHECKBOX", assertedBy: "BACKEND", idempotencyKey: `session:${id}`, userRef: "user-1" },
    ]);
    expect(await complete(template, id, { acceptance, observed })).toEqual(first);
    expect(await complete(template, id)).toEqual(first);
    expect(await complete(template, id, { outcome: SessionOutcome.ACCEPTED })).toEqual(first);
    const changed = complete(template, id, { acceptance: { action: "BUTTON" } });
    await expectDomainError(changed, "CLICK_IDEMPOTENCY_KEY_REUSED");
  });

  test("under a key of the caller keeps the promise of an accept: one receipt, and nothing for another body", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    const request = { acceptance: { action: "CHECKBOX" }, reason: "done", idempotencyKey: "order-42" };
    const first = await complete(template, id, request);
    expect(first.receipts).toMatchObject([{ idempotencyKey: "order-42", action: "CHECKBOX" }]);
    expect(first.replayed).toBe(false);
    expect(await complete(template, id, request)).toEqual({ ...first, replayed: true });
    const { id: another } = await create(template);
    for (const [session, changed] of [
      [id, { ...request, acceptance: { action: "BUTTON" } }],
      [id, { ...request, reason: "another one" }],
      [id, { outcome: SessionOutcome.ACCEPTED, idempotencyKey: "order-42" }],
      [another, request],
    ] as const) {
      await expectDomainError(complete(template, session, changed), "CLICK_IDEMPOTENCY_KEY_REUSED");
    }
    expect((await get(template, another)).status).toBe(SessionStatus.PENDING);
    const used = { orgId: orgOf(template), key: "order-42", body: { sessionId: another } };
    await expectDomainError(acceptOne(click.client, used), "CLICK_IDEMPOTENCY_KEY_REUSED");
    expect(await countAcceptances(click, orgOf(template))).toBe(1);
  });

  test("under another key than the one it was accepted with is refused, as an accept is", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    await accept(template, { sessionId: id });
    const request = { acceptance: { action: "CHECKBOX" }, idempotencyKey: "late" };
    await expectDomainError(complete(template, id, request), "CLICK_SESSION_CLOSED");
    const refused = { outcome: SessionOutcome.ACCEPTED, idempotencyKey: "late" };
    await expectDomainError(complete(template, id, refused), "CLICK_SESSION_CLOSED");
    expect((await complete(template, id, { idempotencyKey: "late" })).receipts).toHaveLength(1);
  });

  test("under a key whose process died before the session was completed is finished by the retry", async () => {
    const template = addTemplate({ policyFlags: { singleUseSession: false } });
    const { id } = await create(template);
    const request = { acceptance: { action: "CHECKBOX" }, idempotencyKey: "order-43" };
    // The completion fails after the acceptance was recorded; the acceptance stays.
    await click.superuser.query("alter table click.session rename column completed_at to completed_at_gone");
    await expect(complete(template, id, request)).rejects.toThrow();
    await click.superuser.query("alter table click.session rename column completed_at_gone to completed_at");
    expect((await get(template, id)).status).not.toBe(SessionStatus.COMPLETED);
    const { session, receipts } = await complete(template, id, request);
    expect([session.status, receipts.length]).toEqual([SessionStatus.COMPLETED, 1]);
  });

  test("the outcome ACCEPTED alone stands for an acceptance", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    const { session, receipts } = await complete(template, id, { outcome: SessionOutcome.ACCEPTED });
    expect(session.outcome).toBe(SessionOutcome.ACCEPTED);
    expect(receipts).toMatchObject([{ decision: "ACCEPT", userRef: "user-1" }]);
  });

  test("an acceptance that the policy refuses leaves the session open", async () => {
    const template = addTemplate({ policyFlags: { requireScroll: true } });
    const { id } = await create(template);
    await expectDomainError(complete(template, id, { acceptance: {} }), "CLICK_POLICY_NOT_SATISFIED");
    expect((await get(template, id)).status).toBe(SessionStatus.PENDING);
    await complete(template, id, { acceptance: { presentation: { scrolledToEnd: true } } });
  });

  test("twenty completions at once record one acceptance", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => complete(template, id, { acceptance: { action: "CHECKBOX" } })),
    );
    expect(new Set(outcomes.map(({ receipts }) => JSON.stringify(receipts))).size).toBe(1);
  });

  test("an acceptance whose process died before the session was completed is finished by the retry", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    // The same acceptance under the session's key, without the completion.
    const item = { orgId: orgOf(template), key: `session:${id}`, body: { sessionId: id, action: "CHECKBOX" } };
    const { receipt } = await acceptOne(click.client, item);
    expect((await get(template, id)).status).toBe(SessionStatus.ACCEPTED);
    const { session, receipts } = await complete(template, id, { acceptance: { action: "CHECKBOX" } });
    expect(session).toMatchObject({ status: SessionStatus.COMPLETED, outcome: SessionOutcome.ACCEPTED });
    expect(receipts).toEqual([receipt]);
  });

  test("a decline is kept with its reason", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    const { session, receipts } = await complete(template, id, {
      outcome: SessionOutcome.DECLINED,
      reason: "too long",
    });
    expect(session).toMatchObject({ status: SessionStatus.COMPLETED, outcome: SessionOutcome.DECLINED });
    expect(receipts).toEqual([]);
  });

  test("a decline with an acceptance body is recorded as one", async () => {
    const template = addTemplate({ policyFlags: { allowDecline: true } });
    const { id } = await create(template);
    const { session, receipts } = await complete(template, id, { outcome: SessionOutcome.DECLINED, acceptance: {} });
    expect(session).toMatchObject({ status: SessionStatus.COMPLETED, outcome: SessionOutcome.DECLINED });
    expect(receipts).toMatchObject([{ decision: "DECLINE" }]);
  });

  test("refuses acceptances that are not JSON, name another session or contradict the outcome", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    const { ACCEPTED, DECLINED } = SessionOutcome;
    const bad: Completion[] = [
      { acceptance: [] },
      { acceptance: { sessionId: newId() } },
      { acceptance: { sessionId: 7 } },
      { acceptance: { decision: "DECLINE" }, outcome: ACCEPTED },
      { acceptance: { decision: "ACCEPT" }, outcome: DECLINED },
      { acceptance: { action: "WINK" } },
      { outcome: SessionOutcome.NONE },
    ];
    for (const request of bad) await expectDomainError(complete(template, id, request), "CLICK_VALIDATION_FAILED");
    const deep = Buffer.from(`{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`);
    for (const acceptanceJson of [Buffer.from("{"), Buffer.from([0xff]), deep]) {
      const answer = click.client.completeSession({ sessionId: id, acceptanceJson }, as(orgOf(template)));
      await expectDomainError(answer, "CLICK_VALIDATION_FAILED");
    }
    expect((await get(template, id)).status).toBe(SessionStatus.PENDING);
  });

  test("an unknown id, a malformed one and another organization's", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    for (const sessionId of [newId(), "nonsense"]) {
      await expectDomainError(complete(template, sessionId), "CLICK_SESSION_NOT_FOUND");
    }
    await expectDomainError(complete(addTemplate(), id, { acceptance: {} }), "CLICK_SESSION_NOT_FOUND");
  });
});
