import type { EventJson } from "#gen/assent/events/v1/events_pb.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { newId } from "#platform/ids.ts";
import { until } from "#platform/testing/until.ts";
import { orgOf } from "./actions.ts";
import type { FakeTemplate } from "./fake-templates.ts";
import { type ClickHarness, callerOf, rows } from "./harness.ts";

const subject = "assent.templates.version.published";

export interface PublishedEvent {
  readonly requiresReacceptance?: boolean;
  readonly eventId?: string;
}

/** Tells the service of the publication of the template's first version, and waits until it has taken effect. */
export async function publishEvent(
  click: ClickHarness,
  template: FakeTemplate,
  { requiresReacceptance = true, eventId = newId() }: PublishedEvent = {},
): Promise<void> {
  const version = template.versions[0];
  if (version === undefined) throw new Error("the template has no version");
  const { versionId, locale, revision, label, content } = version;
  const { orgId, requestId, traceparent } = callerOf(orgOf(template));
  const event: EventJson = {
    id: eventId,
    subject,
    organizationId: orgId,
    occurredAt: click.clock.now().toISOString(),
    aggregateId: versionId,
    requestId,
    traceparent,
    versionPublished: {
      templateId: template.templateId,
      versionId,
      locale,
      revision,
      label,
      contentHash: sha256Label(content),
      requiresReacceptance,
    },
  };
  const consumer = click.service.workers.find((worker) => worker.name === "consumer click-publications");
  if (consumer === undefined) throw new Error("the service does not listen to publications");
  await consumer.start();
  try {
    await click.bus.publish([{ id: eventId, subject, data: JSON.stringify(event) }]);
    await until(async () => {
      const sql = "select from click.inbox where consumer = 'click-publications' and event_id = $1";
      return (await rows(click, sql, [eventId])).length === 1;
    });
  } finally {
    await consumer.stop();
  }
}
