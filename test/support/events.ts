import type { EventJson } from "#gen/assent/events/v1/events_pb.ts";
import type { EventBus } from "#platform/events/bus.ts";

export interface EventLog {
  /** Events by id, in the order of their first arrival. */
  readonly events: ReadonlyMap<string, EventJson>;
  of(subject: string): EventJson[];
  stop(): Promise<void>;
}

/** Collects every event that arrives; an event that is delivered twice counts once, as in a consumer's inbox. */
export async function collectEvents(bus: EventBus, durable: string): Promise<EventLog> {
  const events = new Map<string, EventJson>();
  const subscription = await bus.subscribe({
    durable,
    subjects: ["assent.>"],
    handle: async (event) => {
      events.set(event.id, JSON.parse(event.data) as EventJson);
    },
    onDead: async () => undefined,
  });
  return {
    events,
    of: (subject) => [...events.values()].filter((event) => event.subject === subject),
    stop: () => subscription.stop(),
  };
}
