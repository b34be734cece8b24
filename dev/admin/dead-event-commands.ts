import type { Client } from "@connectrpc/connect";
import type { DeadEventService } from "#gen/assent/operations/v1/dead_events_pb.ts";
import type { ServiceName } from "./endpoint.ts";
import {
  type CommandOf,
  deadEventLine,
  deadEventView,
  optionalCount,
  requiredText,
  UsageError,
  type Values,
} from "./views.ts";

export type DeadEventClient = Client<typeof DeadEventService>;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

/** Services with consumers and with a master key. */
export const services: readonly ServiceName[] = ["auth", "click", "sign", "webhooks"];

/** The service that --service names. */
export function namedService(values: Values): ServiceName {
  const named = requiredText(values, "service");
  const found = services.find((service) => service === named);
  if (found === undefined) throw new UsageError(`--service must be one of ${services.join(", ")}`);
  return found;
}

/** What consumers gave up. */
export const deadEventCommands: readonly CommandOf<DeadEventClient>[] = [
  {
    name: "dead-events list",
    synopsis: "--service S [--consumer C] [--limit N]",
    options: { service: text, consumer: text, limit: text },
    prepare(values) {
      const consumer = values.consumer === undefined ? "" : requiredText(values, "consumer");
      const request = { consumer, limit: optionalCount(values, "limit") ?? 0 };
      return async (admin) => {
        const { events, total } = await admin.listDeadEvents(request);
        return { deadEvents: events.map(deadEventView), total };
      };
    },
    forPeople: (result) => {
      const { deadEvents } = result as { deadEvents: ReturnType<typeof deadEventView>[] };
      return { deadEvents: deadEvents.map(deadEventLine) };
    },
  },
  {
    name: "dead-events requeue",
    synopsis: "--service S --consumer C (--event E | --all)",
    options: { service: text, consumer: text, event: text, all: flag },
    prepare(values) {
      const request = selection(values);
      return async (admin) => {
        const { requeued, failed, left } = await admin.requeueDeadEvents(request);
        return { requeued, failed: failed.map(({ eventId, error }) => ({ eventId, error })), left };
      };
    },
    forPeople: (result) => {
      const { failed, ...counts } = result as { failed: { eventId: string; error: string }[] };
      return { ...counts, failed: failed.length, ...Object.fromEntries(failed.map((one) => [one.eventId, one.error])) };
    },
  },
  {
    name: "dead-events discard",
    synopsis: "--service S --consumer C (--event E | --all)",
    options: { service: text, consumer: text, event: text, all: flag },
    prepare(values) {
      const request = selection(values);
      return async (admin) => ({ discarded: (await admin.discardDeadEvents(request)).discarded });
    },
  },
];

/** One event, or, only when that is asked for, all of the consumer. */
function selection(values: Values) {
  const consumer = requiredText(values, "consumer");
  const all = values.all === true;
  if (all === (values.event !== undefined)) throw new UsageError("give either --event or --all");
  return { consumer, all, eventIds: all ? [] : [requiredText(values, "event")] };
}
