import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { DeadEventService } from "#gen/assent/operations/v1/dead_events_pb.ts";
import { DomainError } from "../errors.ts";
import { refusedField } from "../problems.ts";
import type { RpcRoutes } from "../rpc/routes.ts";
import type { DeadEvents } from "./dead-events.ts";

const defaultLimit = 50;

/** What operators do with the dead events of all consumers of a process, for its admin port. */
export function deadEventRoutes(consumers: readonly DeadEvents[]): RpcRoutes {
  const byName = new Map(consumers.map((one) => [one.consumer, one]));
  const find = (name: string): DeadEvents => {
    const found = byName.get(name);
    if (found !== undefined) return found;
    const known = byName.size === 0 ? "none" : [...byName.keys()].join(", ");
    throw new DomainError("NOT_FOUND", { message: `This process has no such consumer; it has ${known}.` });
  };
  return (router) => {
    router.service(DeadEventService, {
      async listDeadEvents({ consumer, limit }) {
        const asked = consumer === "" ? consumers : [find(consumer)];
        const most = limit === 0 ? defaultLimit : limit;
        const found = await Promise.all(asked.map((one) => one.newest(most)));
        const counts = await Promise.all(asked.map((one) => one.count()));
        const newest = found.flat().sort((a, b) => b.diedAt.getTime() - a.diedAt.getTime());
        return {
          events: newest.slice(0, most).map((event) => ({ ...event, diedAt: timestampFromDate(event.diedAt) })),
          total: counts.reduce((sum, n) => sum + n, 0),
        };
      },
      async requeueDeadEvents(request) {
        const { requeued, failed, left } = await find(request.consumer).requeue(selected(request));
        return { requeued, failed: [...failed], left };
      },
      async discardDeadEvents(request) {
        return { discarded: await find(request.consumer).discard(selected(request)) };
      },
    });
  };
}

function selected({ eventIds, all }: { eventIds: string[]; all: boolean }): readonly string[] | "all" {
  if (all === eventIds.length > 0) {
    const message = "Name either events or all of them.";
    throw refusedField("eventIds", "either_or", message);
  }
  return all ? "all" : [...new Set(eventIds)];
}
