import { fromJsonString } from "@bufbuild/protobuf";
import { type Event, EventSchema } from "#gen/assent/events/v1/events_pb.ts";
import type { Caller } from "#platform/caller.ts";
import type { OrgId } from "#platform/ids.ts";
import type { StoredEvent } from "../domain/delivery.ts";
import type { Lookups } from "./lookups.ts";

export type EventPayload = Event["payload"];
export type PayloadCase = NonNullable<EventPayload["case"]>;
export type PayloadOf<Case extends PayloadCase> = Extract<EventPayload, { readonly case: Case }>["value"];

/** Makes the data of events of some kinds from what they say, and from what others say now of the things they name. */
export type DataMakers<Case extends PayloadCase> = {
  readonly [C in Case]: (payload: PayloadOf<C>, lookups: Lookups, event: Event) => object | Promise<object>;
};

/** Reads an event as it was stored. What later versions have added is left out. */
export const parseEvent = ({ data }: Pick<StoredEvent, "data">): Event =>
  fromJsonString(EventSchema, data, { ignoreUnknownFields: true });

/** On whose behalf things are looked up: of nobody but the organization, within the request that caused the event. */
export const callerOf = (orgId: OrgId, { requestId, traceparent }: Event): Caller => ({
  orgId,
  clientId: "webhooks",
  requestId,
  traceparent,
});

/** In answers nothing is left out: what there is not is null. */
export const textOrNull = (text: string | undefined): string | null =>
  text === undefined || text === "" ? null : text;
