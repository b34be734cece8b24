import type { EventType } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { objectOf } from "../sign/texts.ts";

/** A kind of events, with the data of one as an example. */
export const eventTypeView = ({ type, description, exampleJson }: EventType) => ({
  type,
  description,
  example: objectOf(exampleJson),
});
