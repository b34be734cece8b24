import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { EventJson } from "#gen/assent/events/v1/events_pb.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import type { Random } from "../accept-history/random.ts";
import type { PublishedEvent } from "./history.ts";

type Payload = Pick<EventJson, "documentCompleted" | "batchCompleted" | "acceptanceRecorded">;

interface Kind {
  readonly type: string;
  readonly subject: string;
  payload(): Payload;
}

const documents: Kind = {
  type: "document.completed",
  subject: "assent.docgen.document.completed",
  payload: () => ({ documentCompleted: { documentId: randomUUID(), pages: 1 } }),
};
const batches: Kind = {
  type: "batch.completed",
  subject: "assent.docgen.batch.completed",
  payload: () => ({ batchCompleted: { batchId: randomUUID(), status: "completed", total: 1, completed: 1 } }),
};
/** Of these, another service has to be asked. */
const acceptances: Kind = {
  type: "click.acceptance.recorded",
  subject: "assent.click.acceptance.recorded",
  payload: () => ({ acceptanceRecorded: { receiptId: randomUUID(), decision: "ACCEPTED" } }),
};

export interface Publisher {
  /** Waits for what is under way. */
  stop(): Promise<void>;
}

export interface PublisherOptions {
  readonly bus: EventBus;
  readonly organizations: readonly OrgId[];
  readonly random: Random;
  readonly perSecond: number;
  readonly round: number;
  now(): Date;
  /** The bus has it from now on. */
  onPublished(event: PublishedEvent): void;
}

/** Tells the bus of events as a relay does: again until it has them, and so some of them more than once. */
export function startPublisher(options: PublisherOptions): Publisher {
  const { bus, organizations, random, perSecond, round, now, onPublished } = options;
  const stopping = new AbortController();

  const publishSome = async (): Promise<void> => {
    const made = Array.from({ length: 1 + random.integer(6) }, () => {
      const kind = random.chance(0.6) ? documents : random.pick([batches, acceptances, acceptances]);
      const [id, orgId] = [newId(), random.pick(organizations)];
      const event = { id, organizationId: orgId, occurredAt: now().toISOString(), aggregateId: randomUUID() };
      const data = JSON.stringify({ ...event, subject: kind.subject, ...kind.payload() });
      return { published: { id, orgId, type: kind.type, round }, event: { id, subject: kind.subject, data } };
    });
    const events = made.map(({ event }) => event);
    while (!(await bus.publish(events).then(...outcome))) await delay(50);
    for (const { published } of made) onPublished(published);
    await delay((1_000 * made.length) / perSecond);
  };
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) await publishSome();
  };
  const running = loop();
  running.catch(() => {});
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

const outcome = [() => true, () => false] as const;
