import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SessionOutcome, SessionStatus } from "#gen/assent/click/v1/click_pb.ts";
import { newId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import {
  acceptOne,
  as,
  type ClickHarness,
  type ClickInstance,
  codeOf,
  newOrg,
  rows,
  startClick,
} from "../../test/harness.ts";
import { sweepNow } from "../../test/sweeping.ts";

let click: ClickHarness;
let other: ClickInstance;
beforeAll(async () => {
  click = await startClick();
  other = await click.startAnother();
});
afterAll(() => click.close());

const { addTemplate, create, get, complete, accept, acceptTemplate } = clientActions(() => click);

const cancel = async (template: FakeTemplate, sessionId: string, orgId = orgOf(template)) => {
  const { session } = await click.client.cancelSession({ sessionId }, as(orgId));
  if (session === undefined) throw new Error("no session was answered");
  return session;
};

const eventsOf = async (template: FakeTemplate, subject: string) => {
  const found = await rows<{ data: string }>(
    click,
    "select data from click.outbox where organization_id = $1 and subject = $2 order by position",
    [template.organizationId, `assent.click.${subject}`],
  );
  return found.map(({ data }) => JSON.parse(data));
};

describe("cancelSession", () => {
  test("ends a session without a decision, once", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    const first = await cancel(template, id);
    expect(first).toMatchObject({ id, status: SessionStatus.CANCELLED, outcome: SessionOutcome.NONE });
    expect(await cancel(template, id.toUpperCase())).toEqual(first);
    expect(await get(template, id)).toEqual(first);
    await expectDomainError(accept(template, { sessionId: id }), "CLICK_SESSION_CLOSED");
    await expectDomainError(complete(template, id), "CLICK_SESSION_CLOSED");
    const versionId = template.versions[0]?.versionId;
    expect(await eventsOf(template, "session.cancelled")).toMatchObject([
      { aggregateId: id, sessionCancelled: { sessionId: id, templateId: template.templateId, versionId, revision: 1 } },
    ]);
    const { bundleJson } = await click.client.getEvidenceBundle({ sessionId: id }, as(orgOf(template)));
    expect(JSON.parse(bundleJson)).toMatchObject({
      session: { status: "CANCELLED" },
      timeline: [{ type: "SESSION_CREATED" }, { type: "SESSION_CANCELLED" }],
    });
  });

  test("undoes nothing that was decided", async () => {
    const template = addTemplate({ policyFlags: { allowDecline: true } });
    const sessions = [await create(template), await create(template), await create(template)];
    await accept(template, { sessionId: sessions[0]?.id });
    await accept(template, { sessionId: sessions[1]?.id, decision: "DECLINE" });
    await complete(template, sessions[2]?.id ?? "");
    const { receipt } = await acceptTemplate(template);
    for (const id of [...sessions.map((session) => session.id), receipt.sessionId]) {
      await expectDomainError(cancel(template, id), "CLICK_SESSION_CLOSED");
    }
    const late = await create(template);
    click.clock.advance(3601);
    await expectDomainError(cancel(template, late.id), "CLICK_SESSION_EXPIRED");
    expect(await eventsOf(template, "session.cancelled")).toEqual([]);
  });

  test("an unknown id, a malformed one and another organization's", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    for (const unknown of [newId(), "nonsense", ""]) {
      await expectDomainError(cancel(template, unknown), "CLICK_SESSION_NOT_FOUND");
    }
    await expectDomainError(cancel(template, id, newOrg()), "CLICK_SESSION_NOT_FOUND");
    expect((await get(template, id)).status).toBe(SessionStatus.PENDING);
  });

  test("of a cancellation and an acceptance at once exactly one happens", async () => {
    const template = addTemplate();
    for (let round = 0; round < 30; round += 1) {
      const { id } = await create(template);
      const item = { orgId: orgOf(template), key: `race-${id}`, body: { sessionId: id } };
      const [accepted, cancelled] = await Promise.all([
        codeOf(acceptOne(other.client, item)),
        cancel(template, id).then(
          () => "ok",
          async (error: unknown) => (await expectDomainError(Promise.reject(error), "CLICK_SESSION_CLOSED")).code,
        ),
      ]);
      expect([accepted, cancelled].sort()).toEqual(["CLICK_SESSION_CLOSED", "ok"]);
      const { status } = await get(template, id);
      expect(status).toBe(accepted === "ok" ? SessionStatus.ACCEPTED : SessionStatus.CANCELLED);
    }
  });
});

describe("completing with the outcome DECLINED", () => {
  test("puts the decline on record where the policy wants it", async () => {
    const template = addTemplate({ policyFlags: { allowDecline: true } });
    const { id } = await create(template);
    const request = { outcome: SessionOutcome.DECLINED, reason: "too long" };
    const { session, receipts } = await complete(template, id, request);
    expect(session).toMatchObject({ status: SessionStatus.COMPLETED, outcome: SessionOutcome.DECLINED });
    expect(receipts).toMatchObject([{ decision: "DECLINE", idempotencyKey: `session:${id}`, userRef: "user-1" }]);
    expect(await complete(template, id, request)).toEqual({ session, receipts, replayed: false });
    expect(await eventsOf(template, "session.declined")).toMatchObject([{ sessionDeclined: { sessionId: id } }]);
  });

  test("only closes the session where it does not, and where nobody is known to decline", async () => {
    const [silent, unnamed] = [
      addTemplate({ policyFlags: { allowDecline: true, recordDecline: false } }),
      addTemplate({ policyFlags: { allowDecline: true } }),
    ];
    for (const [template, userRef] of [
      [silent, { userRef: "user-1" }],
      [unnamed, {}],
    ] as const) {
      const { id } = await create(template, userRef);
      const { session, receipts } = await complete(template, id, { outcome: SessionOutcome.DECLINED });
      expect(session).toMatchObject({ status: SessionStatus.COMPLETED, outcome: SessionOutcome.DECLINED });
      expect(receipts).toEqual([]);
      expect(await eventsOf(template, "session.declined")).toHaveLength(1);
    }
  });

  test("closes the session although its template is gone", async () => {
    const template = addTemplate({ policyFlags: { allowDecline: true } });
    const { id } = await create(template);
    template.archived = true;
    const { session, receipts } = await complete(template, id, { outcome: SessionOutcome.DECLINED });
    expect(session).toMatchObject({ status: SessionStatus.COMPLETED, outcome: SessionOutcome.DECLINED });
    expect(receipts).toEqual([]);
  });
});

describe("the sweeper", () => {
  test("marks what has expired and tells of it once, also with two processes", async () => {
    const template = addTemplate();
    const sessions: Awaited<ReturnType<typeof create>>[] = [];
    // More sessions than one run of the sweeper handles.
    while (sessions.length < 240) sessions.push(...(await Promise.all([1, 2, 3, 4, 5, 6].map(() => create(template)))));
    const [accepted, completed, cancelled, ...left] = sessions;
    await accept(template, { sessionId: accepted?.id });
    await complete(template, completed?.id ?? "");
    await cancel(template, cancelled?.id ?? "");
    const longer = await create(template, { ttlSeconds: 7200 });
    await sweepNow(click);
    expect(await eventsOf(template, "session.expired")).toEqual([]);
    click.clock.advance(3601);
    const before = await get(template, left[0]?.id ?? "");
    await Promise.all([sweepNow(click), sweepNow(other)]);
    await sweepNow(click);
    const events = await eventsOf(template, "session.expired");
    expect(new Set(events.map((event) => event.aggregateId))).toEqual(new Set(left.map(({ id }) => id)));
    expect(events).toHaveLength(left.length);
    expect(events[0]).toMatchObject({
      requestId: "",
      sessionExpired: { templateId: template.templateId, versionId: template.versions[0]?.versionId, revision: 1 },
    });
    expect(events[0].sessionExpired.expiresAt).toBeDefined();
    // Readers of the session cannot tell whether the sweeper has run.
    expect(await get(template, left[0]?.id ?? "")).toEqual(before);
    const stored = await rows<{ status: string; n: number }>(
      click,
      "select status, count(*)::int as n from click.session where organization_id = $1 group by status order by status",
      [template.organizationId],
    );
    expect(stored).toEqual([
      { status: "ACCEPTED", n: 1 },
      { status: "CANCELLED", n: 1 },
      { status: "COMPLETED", n: 1 },
      { status: "EXPIRED", n: 237 },
      { status: "PENDING", n: 1 },
    ]);
    expect((await get(template, longer.id)).status).toBe(SessionStatus.PENDING);
    await expectDomainError(accept(template, { sessionId: left[0]?.id }), "CLICK_SESSION_EXPIRED");
    await expectDomainError(complete(template, left[0]?.id ?? ""), "CLICK_SESSION_EXPIRED");
    await expectDomainError(cancel(template, left[0]?.id ?? ""), "CLICK_SESSION_EXPIRED");
    const waiting = await rows(click, "select from click.session_deadline where organization_id = $1", [
      template.organizationId,
    ]);
    expect(waiting).toHaveLength(1);
  });

  test("nothing happens when its events cannot be written", async () => {
    const template = addTemplate();
    const { id } = await create(template, { ttlSeconds: 60 });
    click.clock.advance(61);
    const refuse = "revoke insert on click.outbox from assent_click_sweeper";
    await click.superuser.query(refuse);
    try {
      await sweepNow(click);
      const [row] = await rows<{ status: string }>(click, "select status from click.session where id = $1", [id]);
      expect(row?.status).toBe("PENDING");
    } finally {
      await click.superuser.query("grant insert on click.outbox to assent_click_sweeper");
    }
    await sweepNow(click);
    expect(await eventsOf(template, "session.expired")).toHaveLength(1);
  });
});
