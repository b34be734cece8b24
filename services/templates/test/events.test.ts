import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import {
  createPublished,
  publish,
  readEvents,
  requestId,
  startTemplates,
  type TemplatesHarness,
  traceparent,
  unpublish,
  updateTemplate,
} from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

describe("events", () => {
  test("tell of every change, with the request that made it", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const templateId = template.id;
    harness.clock.advance(1000);
    await unpublish(organization, version);
    await publish(organization, version, false);
    const common = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organizationId: organization.orgId,
      aggregateId: version.id,
      requestId,
      traceparent,
    };
    const payload = { templateId, versionId: version.id, locale: "en" };
    const versionPublished = {
      ...payload,
      revision: 1,
      label: "1.0",
      contentHash: version.contentHash,
      requiresReacceptance: true,
    };
    const now = harness.clock.now().toISOString();
    const events = await readEvents(harness, organization.orgId);
    expect(events).toEqual([
      { ...common, subject: "assent.templates.version.published", occurredAt: expect.any(String), versionPublished },
      { ...common, subject: "assent.templates.version.unpublished", occurredAt: now, versionUnpublished: payload },
      { ...common, subject: "assent.templates.version.published", occurredAt: now, versionPublished },
    ]);
    expect(new Set(events.map((event) => event.id)).size).toBe(3);
  });

  test("tell those who watch over the organization which rules of a template have changed, and nothing else", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const update = (policyFlags: JsonObject) =>
      updateTemplate(organization, template.id, ["policy_flags"], { policyFlags });
    await update({ legalHold: true, retentionDays: 30 });
    await update({ legalHold: true, retentionDays: 30 });
    await updateTemplate(organization, template.id, ["name"], { name: "Terms of Ann" });
    const events = (await readEvents(harness, organization.orgId)).filter(({ subject }) => subject?.includes("audit"));
    expect(events).toMatchObject([
      {
        ...{ subject: "assent.audit.privacy", aggregateId: template.id, requestId },
        auditedPrivacy: {
          ...{ action: "template.policy-changed", outcome: "SUCCESS", actor: { kind: "client" } },
          target: { kind: "template", id: template.id },
        },
      },
    ]);
    expect((events[0] as { auditedPrivacy?: { changes: object[] } }).auditedPrivacy?.changes).toEqual(
      expect.arrayContaining([
        { field: "legalHold", value: "true" },
        { field: "retentionDays", value: "30" },
      ]),
    );
  });

  test("reach the bus", async () => {
    const organization = harness.organization();
    const received: string[] = [];
    const subscription = await harness.bus.subscribe({
      durable: "test",
      subjects: ["assent.templates.>"],
      handle: async (event) => {
        received.push(`${JSON.parse(event.data).organizationId} ${event.subject}`);
      },
      onDead: async () => {},
    });
    for (const worker of harness.service.workers) await worker.start();
    try {
      await createPublished(organization);
      await until(() => received.includes(`${organization.orgId} assent.templates.version.published`));
    } finally {
      for (const worker of harness.service.workers) await worker.stop();
      await subscription.stop();
    }
  });
});
