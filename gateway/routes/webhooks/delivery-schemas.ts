import {
  absent,
  answer,
  anyText,
  count,
  dateTime,
  described,
  example,
  listOf,
  oneOf,
  orNull,
  uuid,
} from "../schema-parts.ts";

export const deliveryStatus = oneOf("PENDING", "DELIVERED", "FAILED", "DEAD");

const attemptSchema = answer({
  at: dateTime,
  statusCode: example({ type: ["integer", "null"], description: "Null when there was no answer." }, 503),
  durationMs: example(count, 184),
  error: example({ type: ["string", "null"], description: "What went wrong." }, "The receiver answered 503."),
  response: example(
    { type: ["string", "null"], description: "What the answer began with, at most 1,024 characters." },
    "Service Unavailable",
  ),
  url: example(anyText, "https://www.example.com/hooks/assent"),
});

export const deliverySchema = answer({
  id: uuid,
  eventId: described(uuid, "The webhook-id of the requests: the same in every attempt and for every endpoint."),
  eventType: example(anyText, "agreement.completed"),
  endpointId: example(
    { ...orNull(uuid), description: "Null when the agreement itself names the receiver." },
    "01961234-5678-7abc-8def-0123456789ab",
  ),
  status: example(
    described(
      deliveryStatus,
      "PENDING: nobody has tried yet. FAILED: the last attempt failed, another one follows. DEAD: nothing follows any more, unless it is sent again.",
    ),
    "FAILED",
  ),
  attempts: described(listOf(attemptSchema), "The latest first; lists have the latest five."),
  attemptCount: example(count, 1),
  nextAttemptAt: {
    ...described(orNull(dateTime), "Null when nothing follows."),
    examples: ["2026-11-20T17:00:05.123Z"],
  },
  occurredAt: described(dateTime, "When the event happened."),
  createdAt: dateTime,
  deliveredAt: absent(dateTime, "When an attempt was answered with a status from 200 to 299."),
  agreementId: absent(uuid, "Of events of the compatible interface: the agreement."),
  connectId: absent(
    { type: "integer", minimum: 1 },
    "Of the configuration of the compatible interface that it is sent for.",
  ),
});

export const eventTypeSchema = answer({
  type: example(anyText, "agreement.completed"),
  description: example(anyText, "All recipients have signed, and the documents are sealed."),
  example: {
    type: "object",
    description: "The data of such an event.",
    examples: [{ agreement: { id: "01961234-5678-7abc-8def-0123456789ab", status: "completed" } }],
  },
});
