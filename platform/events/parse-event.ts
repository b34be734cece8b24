import { fromJsonString } from "@bufbuild/protobuf";
import { type Event, EventSchema } from "#gen/assent/events/v1/events_pb.ts";
import { type OrgId, parseOrgId } from "../ids.ts";
import type { BusEvent } from "./bus.ts";

/** The event of a message; throws for one that no organization can be found in. */
export function parseEvent({ data }: Pick<BusEvent, "data">): { event: Event; orgId: OrgId } {
  const event = fromJsonString(EventSchema, data, { ignoreUnknownFields: true });
  const orgId = parseOrgId(event.organizationId);
  if (orgId === undefined) throw new Error("the event names no organization");
  return { event, orgId };
}
