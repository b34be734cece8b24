import {
  PausedSchema,
  PauseReason,
  PauseSchema,
  RoutingSchema,
  ScheduleSchema,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { count, integer, list, named, orNull, time } from "./kinds.ts";
import { optional, readOnly, required } from "./members.ts";
import { nested, resource, shown } from "./resource.ts";

const yearSeconds = 366 * 86_400;
const delaySeconds = optional(orNull(integer(1, yearSeconds)), {
  description: "Seconds to wait instead of until a time; at most 366 days.",
  example: null,
});

const schedule = resource(ScheduleSchema, {
  sendAt: optional(orNull(time), {
    description: "When the first recipients are asked; within 366 days. Give it or delaySeconds.",
    example: "2026-11-26T08:00:00.000Z",
  }),
  delaySeconds,
});

const pause = resource(PauseSchema, {
  beforeRoutingOrder: required(integer(1, 10_000), {
    description: "Recipients with this routing order, or the next higher one that there is, wait.",
    example: 2,
  }),
  resumeAt: optional(orNull(time), {
    description: "When the pause ends. Without it and delaySeconds it ends when you resume the agreement.",
    example: null,
  }),
  delaySeconds,
  resumedAt: readOnly(orNull(time), { description: "When the pause was over.", example: null }),
});

const routing = resource(RoutingSchema, {
  pauses: required(list(nested(pause)), { description: "At most one before each routing order." }),
});

const paused = shown(PausedSchema, {
  reason: readOnly(named(PauseReason, "camel"), {
    description: "scheduled before it is sent to the first recipients; pause before others.",
    example: "scheduled",
  }),
  beforeRoutingOrder: readOnly(count, { description: "The routing order of the recipients who wait.", example: 1 }),
  since: readOnly(time),
  until: readOnly(orNull(time), { description: "Null when it waits until you resume it." }),
});

const clears = { null: "both", nullIs: "empty" } as const;
/** When an agreement is sent and goes on: of requests. */
export const workflowInput = {
  schedule: optional(nested(schedule), {
    ...clears,
    description: "Sends the agreement later. Null sends it at once.",
  }),
  routing: optional(nested(routing), {
    ...clears,
    description: "Pauses between recipients. The given ones replace those before; null removes them.",
  }),
} as const;

/** The same of templates. */
export const workflowContent = {
  schedule: readOnly(orNull(nested(schedule)), { description: "Null when it is sent at once." }),
  routing: readOnly(orNull(nested(routing)), { description: "Null without pauses." }),
} as const;

/** The same of agreements. */
export const workflowShown = {
  ...workflowContent,
  paused: readOnly(orNull(nested(paused)), {
    description: "What the agreement waits for besides its recipients; null when it doesn't.",
  }),
} as const;
