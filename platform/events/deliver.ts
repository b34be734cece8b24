import { fromJsonString } from "@bufbuild/protobuf";
import { type Event, EventSchema } from "#gen/assent/events/v1/events_pb.ts";
import { type OrgId, parseOrgId } from "../ids.ts";
import { type BusEvent, backoffAfter, type ReceivedEvent, type SubscribeOptions, subscribeDefaults } from "./bus.ts";

/** What the bus does with an event after a delivery. */
export type Settlement =
  | { readonly kind: "done" }
  | { readonly kind: "again"; readonly delayMs: number }
  /** The time was up before the handler was done; it may still finish. */
  | { readonly kind: "late"; readonly eventually: Promise<Settlement> };

/**
 * Gives one delivery to the subscriber and decides what follows, the same way for every bus: done when it was handled
 * or written off, again after the backoff when not, late when neither happened within `ackWaitMs`. Never rejects.
 */
export async function deliver(event: ReceivedEvent, options: SubscribeOptions): Promise<Settlement> {
  const work = attempt(event, options);
  let timer: NodeJS.Timeout | undefined;
  // A handler that hangs must not stop the events behind it.
  const timeUp = new Promise<Settlement>((resolve) => {
    const late = { kind: "late", eventually: work } as const;
    timer = setTimeout(resolve, options.ackWaitMs ?? subscribeDefaults.ackWaitMs, late);
    timer.unref();
  });
  try {
    return await Promise.race([work, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}

async function attempt(event: ReceivedEvent, options: SubscribeOptions): Promise<Settlement> {
  const { maxDeliver = subscribeDefaults.maxDeliver, backoffMs = subscribeDefaults.backoffMs } = options;
  const again = { kind: "again", delayMs: backoffAfter(event.deliveries, backoffMs) } as const;
  // Its last permitted delivery ended without an answer, as when the process died of it: do not try once more.
  if (event.deliveries > maxDeliver) {
    return bury(event, new Error(`not settled after ${maxDeliver} deliveries`), options, again);
  }
  try {
    await options.handle(event);
    return { kind: "done" };
  } catch (error) {
    return event.deliveries < maxDeliver ? again : bury(event, error, options, again);
  }
}

async function bury(
  event: ReceivedEvent,
  error: unknown,
  options: SubscribeOptions,
  again: Settlement,
): Promise<Settlement> {
  try {
    await options.onDead(event, error);
    return { kind: "done" };
  } catch {
    return again;
  }
}

/** The event of a message; throws for one that no organization can be found in. */
export function parseEvent({ data }: Pick<BusEvent, "data">): { event: Event; orgId: OrgId } {
  const event = fromJsonString(EventSchema, data, { ignoreUnknownFields: true });
  const orgId = parseOrgId(event.organizationId);
  if (orgId === undefined) throw new Error("the event names no organization");
  return { event, orgId };
}
