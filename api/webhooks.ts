import {
  AttemptSchema,
  AuditFormat,
  CreateEndpointRequestSchema,
  CreateEndpointResponseSchema,
  DeliverySchema,
  DeliveryStatus,
  DisabledReason,
  type Endpoint as EndpointMessage,
  EndpointSchema,
  EventTypeSchema,
  ListDeliveriesRequestSchema,
  RecoverEndpointRequestSchema,
  RecoverEndpointResponseSchema,
  RotateEndpointSecretResponseSchema,
  UpdateEndpointRequestSchema,
} from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import {
  count,
  described,
  flag,
  integer,
  large,
  list,
  named,
  objectInText,
  orNull,
  text,
  time,
  uuid,
} from "./kinds.ts";
import { type AnswerOf, computed, given, inside, optional, readOnly, required } from "./members.ts";
import { nested, resource, shown } from "./resource.ts";

const sent = <const Words extends string>(words: Words) => ({ create: words, change: words }) as const;

const statuses = ["ACTIVE", "FAILING", "DISABLED"] as const;
const switched = "Whether events are sent to it. A disabled endpoint misses events.";

/** Where events are sent; its secret is no part of it. */
export const endpoint = resource(
  EndpointSchema,
  {
    id: readOnly(uuid),
    organizationId: given<string>({ type: "string", format: "uuid" }),
    url: required(text(1, 2_048), {
      description: sent(
        "An absolute https URL with a public host, on port 443 or 8443, without a user name, password or fragment.",
      ),
      example: "https://www.example.com/hooks/assent",
    }),
    description: optional(orNull(text(0, 500)), { description: sent("For people."), example: "The order system" }),
    eventTypes: optional(list(text(1, 100)), {
      null: "both",
      description: {
        ...sent(
          "The types of events that it is to get; all but those of the audit trail when it is empty or absent. assent.audit.* stands for all of those.",
        ),
        answer: "Empty for all types except those of the audit trail.",
      },
      example: ["agreement.completed", "recipient.declined"],
    }),
    auditFormat: optional(named(AuditFormat), {
      default: "ASSENT",
      null: "never",
      description: {
        create:
          "The form of events of the audit trail; ASSENT when absent. OCSF: a class of that schema is the whole body.",
        change: "The form of events of the audit trail.",
        answer: "The form of events of the audit trail: ASSENT as of all others, or OCSF.",
      },
      example: "ASSENT",
    }),
    enabled: optional(flag, {
      default: true,
      null: "create",
      description: { create: "Whether events are sent to it. Default: true.", change: switched, answer: switched },
    }),
    status: computed(
      { type: "string", enum: statuses },
      ({ enabled, failingSince }: EndpointMessage): (typeof statuses)[number] =>
        !enabled ? "DISABLED" : failingSince === undefined ? "ACTIVE" : "FAILING",
      {
        description:
          "FAILING: every attempt since failingSince has failed, and it gets one request at a time. After five days it is disabled.",
      },
    ),
    disabledReason: readOnly(orNull(named(DisabledReason)), {
      description: "GONE: it responded with 410. FAILING: every attempt failed for five days.",
      example: null,
    }),
    disabledAt: readOnly(orNull(time), { description: "When it was disabled.", example: null }),
    failingSince: readOnly(orNull(time), {
      description: "When the first of the current series of failed attempts was made.",
      example: null,
    }),
    previousSecretUntil: readOnly(orNull(time), {
      description: "Until when requests are also signed with the previous secret.",
      example: null,
    }),
    createdAt: readOnly(time),
    updatedAt: readOnly(time),
  },
  { create: CreateEndpointRequestSchema, change: UpdateEndpointRequestSchema },
);

/** What creates an endpoint or changes its secret answers the secret too. */
export const endpointWithSecret = shown(CreateEndpointResponseSchema, {
  ...inside("endpoint", endpoint.table),
  secret: readOnly(text(), {
    description:
      "The secret that requests are signed with (Standard Webhooks 1.0). Shown only in this response, so store it.",
    example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
  }),
});
/** The same, with the contract's other name for it. */
export const rotatedEndpoint = shown(RotateEndpointSecretResponseSchema, endpointWithSecret.table);

export const recovery = resource(RecoverEndpointRequestSchema, {
  since: required(time, { description: "Start of the time range of events, inclusive." }),
  until: optional(orNull(time), { description: "End of the time range of events, exclusive. Default: now." }),
});
export const recovered = shown(RecoverEndpointResponseSchema, {
  queued: readOnly(count, { description: "The number of deliveries that were queued again.", example: 12 }),
});

const attempt = shown(AttemptSchema, {
  at: readOnly(time),
  statusCode: readOnly(orNull(integer()), { description: "Null if there was no response.", example: 503 }),
  durationMs: readOnly(count, { example: 184 }),
  error: readOnly(orNull(text()), { description: "The error.", example: "The receiver answered 503." }),
  response: readOnly(orNull(text()), {
    description: "The beginning of the response, at most 1,024 characters.",
    example: "Service Unavailable",
  }),
  url: readOnly(text(), { example: "https://www.example.com/hooks/assent" }),
});

const deliveryStatus = named(DeliveryStatus);

/** One event on its way to one receiver. */
export const delivery = shown(DeliverySchema, {
  id: readOnly(uuid),
  eventId: readOnly(uuid, {
    description: "The webhook-id of the requests: the same in every attempt and for every endpoint.",
  }),
  eventType: readOnly(text(), { example: "agreement.completed" }),
  endpointId: readOnly(orNull(uuid), {
    description: "Null if the agreement itself names the receiver.",
    example: "01961234-5678-7abc-8def-0123456789ab",
  }),
  status: readOnly(deliveryStatus, {
    description:
      "PENDING: not tried yet. FAILED: the last attempt failed, and another one follows. DEAD: no further attempt, unless you resend it.",
    example: "FAILED",
  }),
  attempts: readOnly(list(nested(attempt)), { description: "Latest first; lists include the latest five." }),
  attemptCount: readOnly(count, { example: 1 }),
  nextAttemptAt: readOnly(orNull(time), {
    description: "Null if no attempt follows.",
    example: "2026-11-20T17:00:05.123Z",
  }),
  occurredAt: readOnly(time, { description: "When the event happened." }),
  createdAt: readOnly(time),
  deliveredAt: readOnly(orNull(time), {
    description: "When an attempt got a status from 200 to 299.",
    example: null,
  }),
  agreementId: readOnly(orNull(uuid), {
    description: "For events of the compatible interface: the agreement.",
    example: null,
  }),
  connectId: readOnly(orNull(large(1)), {
    description: "For events of the compatible interface: the configuration.",
    example: null,
  }),
});

/** Which deliveries are wanted. */
export const deliveryFilter = resource(ListDeliveriesRequestSchema, {
  endpointId: optional(described(uuid, "Those to this endpoint only.")),
  status: optional(deliveryStatus, { description: "Returns only items with this status.", example: "FAILED" }),
  eventType: optional(text(1, 100), {
    description: "Returns only deliveries of events of this type.",
    example: "agreement.completed",
  }),
  eventId: optional(described(uuid, "Those of this event only.")),
});

/** A kind of events, with the data of one as an example. */
export const eventType = shown(EventTypeSchema, {
  type: readOnly(text(), { example: "agreement.completed" }),
  description: readOnly(text(), { example: "All recipients have signed, and the documents are sealed." }),
  example: readOnly(objectInText, {
    at: "exampleJson",
    default: {},
    description: "An example of the data.",
    example: { agreement: { id: "01961234-5678-7abc-8def-0123456789ab", status: "completed" } },
  }),
});

export type Endpoint = AnswerOf<typeof endpoint.table>;
export type EndpointWithSecret = AnswerOf<typeof endpointWithSecret.table>;
export type Delivery = AnswerOf<typeof delivery.table>;
export type Attempt = AnswerOf<typeof attempt.table>;
export type EventType = AnswerOf<typeof eventType.table>;
