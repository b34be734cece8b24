import type { JsonSchema } from "#api/kinds.ts";
import { endpointStatuses } from "../../../views/webhooks/endpoint.ts";

import {
  absent,
  answer,
  anyText,
  dateTime,
  described,
  example,
  extended,
  flag,
  listOf,
  object,
  oneOf,
  orNull,
  text,
  uuid,
} from "../schema-parts.ts";

export interface CreateEndpointBody {
  readonly url: string;
  readonly description?: string | null;
  readonly eventTypes?: readonly string[] | null;
  readonly enabled?: boolean | null;
}

export type UpdateEndpointBody = Partial<Omit<CreateEndpointBody, "enabled">> & { readonly enabled?: boolean };

export interface RecoverBody {
  readonly since: string;
  readonly until?: string | null;
}

const exampleUrl = "https://www.example.com/hooks/assent";

const url = example(
  text(
    1,
    2_048,
    "An absolute https URL with a public host, on port 443 or 8443, without a user name, password or fragment.",
  ),
  exampleUrl,
);
const description = example(orNull(text(0, 500, "For people.")), "The order system");
const eventTypes = example(
  orNull({
    ...described(listOf(text(1, 100)), "The types of events that it is to get; all when it is empty or absent."),
    maxItems: 200,
  }),
  ["agreement.completed", "recipient.declined"],
);
const enabled = described(flag, "Whether events are sent to it. A disabled endpoint misses what happens meanwhile.");

export const createEndpointSchema = object(
  {
    url,
    description,
    eventTypes,
    enabled: described(orNull(flag), "Whether events are sent to it; true when absent."),
  },
  ["url"],
);

export const updateEndpointSchema = object({ url, description, eventTypes, enabled }, []);

export const recoverSchema = object(
  {
    since: described(dateTime, "Events that happened at this time or later."),
    until: described(orNull(dateTime), "Events that happened before this time; now when absent."),
  },
  ["since"],
);

export const endpointSchema = answer({
  id: uuid,
  organizationId: uuid,
  url: example(anyText, exampleUrl),
  description: example(orNull(anyText), "The order system"),
  eventTypes: example(described(listOf(anyText), "Empty for all types."), [
    "agreement.completed",
    "recipient.declined",
  ]),
  enabled,
  status: described(
    oneOf(...endpointStatuses),
    "FAILING: since failingSince every attempt has failed, and one request at a time is made. After five days of that it is disabled.",
  ),
  disabledReason: absent(
    oneOf("BY_REQUEST", "GONE", "FAILING"),
    "GONE: it answered 410. FAILING: every attempt of five days failed.",
  ),
  disabledAt: absent(dateTime, "When it was disabled."),
  failingSince: absent(dateTime, "When the first attempt failed of which none has succeeded since."),
  previousSecretUntil: absent(dateTime, "Until when requests are signed with the secret before the last one as well."),
  createdAt: dateTime,
  updatedAt: dateTime,
});

/** What creates an endpoint or changes its secret answers the secret too. */
export const endpointWithSecretSchema: JsonSchema = {
  ...extended(endpointSchema, {
    secret: {
      type: "string",
      description: "What requests are signed with (Standard Webhooks 1.0). Shown here and never again: keep it.",
      examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="],
    },
  }),
  required: [...(endpointSchema.required as string[]), "secret"],
};

export const recoveredSchema = answer({
  queued: example(
    { type: "integer", minimum: 0, description: "Deliveries that wait again because of this." } as JsonSchema,
    12,
  ),
});
