import type { JsonSchema } from "#api/kinds.ts";

import { anyText, dateTime, described, example, object, uuid } from "../routes/schema-parts.ts";

type Json = Record<string, unknown>;

const eventExample = {
  id: "01961234-5678-7abc-8def-0123456789ab",
  type: "agreement.completed",
  timestamp: "2026-11-20T17:00:00.123Z",
  organizationId: "01961234-0000-7abc-8def-0123456789ab",
  createdAt: "2026-11-20T17:00:00.123Z",
  data: {
    agreement: {
      id: "01961234-9999-7abc-8def-0123456789ab",
      status: "completed",
      emailSubject: "Please sign the NDA",
    },
  },
};

const eventSchema: JsonSchema = object(
  {
    id: described(uuid, "Of the event; the same as webhook-id."),
    type: described(anyText, "One of /v1/webhooks/event-types; new ones may be added."),
    timestamp: described(dateTime, "When it happened."),
    organizationId: uuid,
    createdAt: described(dateTime, "The same as timestamp."),
    data: { type: "object", description: "What it is about: see the examples of /v1/webhooks/event-types." },
  },
  ["id", "type", "timestamp", "organizationId", "createdAt", "data"],
);

const header = (name: string, description: string, value: string): Json => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example: value,
});

/** The request that a receiver gets, for the OpenAPI document. */
export const receivedEvents: Json = {
  event: {
    post: {
      operationId: "receiveEvent",
      tags: ["Webhooks"],
      summary: "An event, as your endpoint receives it",
      description:
        "Sent by us to the url of each endpoint that wants its type, signed as Standard Webhooks 1.0 says. Check webhook-signature over the bytes of the body before you parse them, refuse a webhook-timestamp that is more than five minutes away, and handle each webhook-id once: an event may come more than once, and not in the order in which things happened. Answer with a status from 200 to 299 within 15 seconds; anything else, a redirect included, is a failure and is tried again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h. Whoever answers 410 is disabled at once.",
      security: [],
      parameters: [
        header("webhook-id", "The id of the event: the same in every attempt.", eventExample.id),
        header("webhook-timestamp", "When this attempt was made: Unix time in seconds.", "1795194000"),
        header(
          "webhook-signature",
          "`v1,` and Base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`; the key is what follows `whsec_` in the secret, decoded. Two of them, with a blank between, for 24 hours after the secret has been rotated: one that fits is enough.",
          "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
        ),
        header("user-agent", "Assent-Webhooks and a version.", "Assent-Webhooks/1.0"),
      ],
      requestBody: {
        required: true,
        description: "JSON in UTF-8.",
        content: { "application/json": { schema: example(eventSchema, eventExample), example: eventExample } },
      },
      responses: {
        "2XX": { description: "It was received. The body is not looked at." },
        "410": { description: "No more events are wanted: the endpoint is disabled." },
        default: { description: "It is sent again later." },
      },
    },
  },
};
