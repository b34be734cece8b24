import { fromJsonString } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SessionOutcome } from "#gen/assent/click/v1/click_pb.ts";
import { EventSchema } from "#gen/assent/events/v1/events_pb.ts";
import type { OrgId } from "#platform/ids.ts";
import { until } from "#platform/testing/until.ts";
import { orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { acceptOne, as, type ClickHarness, newOrg, rows, startClick } from "../../test/harness.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const createSession = async (template: FakeTemplate) => {
  const request = { template: { case: "templateId", value: template.templateId } as const, userRef: "user-1" };
  return (await click.client.createSession(request, as(orgOf(template)))).session?.id ?? "";
};

const eventsOf = async (orgId: OrgId) => {
  const stored = await rows<{ event_id: string; subject: string; data: string }>(
    click,
    "select event_id, subject, data from click.outbox where organization_id = $1 order by position",
    [orgId],
  );
  return stored.map(({ event_id, subject, data }) => {
    const event = fromJsonString(EventSchema, data);
    expect(event).toMatchObject({ id: event_id, subject, organizationId: orgId, requestId: "req-1" });
    return { subject: subject.replace("assent.click.", ""), aggregateId: event.aggregateId, payload: event.payload };
  });
};

describe("events", () => {
  test("an acceptance without a session", async () => {
    const template = click.templates.add(newOrg());
    const body = { templateId: template.templateId, userRef: "u" };
    const { receipt } = await acceptOne(click.client, { orgId: orgOf(template), key: "k", body });
    await acceptOne(click.client, { orgId: orgOf(template), key: "k", body });
    const { receiptId, versionId } = receipt;
    expect(await eventsOf(orgOf(template))).toMatchObject([
      {
        subject: "acceptance.recorded",
        aggregateId: receiptId,
        payload: {
          case: "acceptanceRecorded",
          value: {
            receiptId,
            sessionId: receiptId,
            templateId: template.templateId,
            versionId,
            revision: 1,
            decision: "ACCEPT",
          },
        },
      },
    ]);
  });

  test("a session that is accepted and completed, once each however often it is asked for", async () => {
    const template = click.templates.add(newOrg());
    const sessionId = await createSession(template);
    const acceptanceJson = Buffer.from(JSON.stringify({ action: "CHECKBOX" }));
    for (let n = 0; n < 3; n += 1)
      await click.client.completeSession({ sessionId, acceptanceJson }, as(orgOf(template)));
    const events = await eventsOf(orgOf(template));
    expect(events.map((event) => event.subject)).toEqual([
      "session.created",
      "acceptance.recorded",
      "session.completed",
    ]);
    expect(events[2]).toMatchObject({ aggregateId: sessionId, payload: { value: { sessionId, outcome: "ACCEPTED" } } });
  });

  test("a session that is declined, and one that is closed without a decision", async () => {
    const template = click.templates.add(newOrg());
    const [declined, closed] = [await createSession(template), await createSession(template)];
    const decline = { sessionId: declined, outcome: SessionOutcome.DECLINED, reason: "too long" };
    await click.client.completeSession(decline, as(orgOf(template)));
    await click.client.completeSession({ sessionId: closed }, as(orgOf(template)));
    const events = (await eventsOf(orgOf(template))).slice(2);
    expect(events).toMatchObject([
      { subject: "session.declined", payload: { value: { sessionId: declined } } },
      { subject: "session.completed", payload: { value: { sessionId: declined, outcome: "DECLINED" } } },
      { subject: "session.completed", payload: { value: { sessionId: closed, outcome: "NONE" } } },
    ]);
    // Nothing that somebody wrote leaves with an event.
    expect(JSON.stringify(events)).not.toContain("too long");
  });

  test("a refused acceptance has none", async () => {
    const template = click.templates.add(newOrg(), { policyFlags: { requireScroll: true } });
    const item = { orgId: orgOf(template), key: "k", body: { templateId: template.templateId, userRef: "u" } };
    await expect(acceptOne(click.client, item)).rejects.toThrow();
    expect(await eventsOf(orgOf(template))).toEqual([]);
  });

  test("the relay publishes them", async () => {
    const template = click.templates.add(newOrg());
    for (const worker of click.service.workers) await worker.start();
    try {
      const body = { templateId: template.templateId, userRef: "u" };
      await acceptOne(click.client, { orgId: orgOf(template), key: "k", body });
      await until(async () => {
        const [row] = await rows<{ left: number }>(
          click,
          "select count(*)::int as left from click.outbox where position > coalesce((select position from click.relay_cursor), 0)",
        );
        return row?.left === 0;
      });
    } finally {
      for (const worker of click.service.workers) await worker.stop();
    }
  });
});
