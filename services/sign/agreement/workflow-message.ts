import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type AgreementSchema, PauseReason } from "#gen/assent/sign/v1/agreement_pb.ts";
import { defined } from "#platform/json-object.ts";
import type { Agreement } from "./agreement.ts";
import { isOpen } from "./transitions.ts";
import type { Paused, Timing } from "./workflow.ts";

type WorkflowMembers = Pick<MessageInitShape<typeof AgreementSchema>, "schedule" | "routing" | "paused">;

/** What the API says of a schedule and pauses. */
export function workflowMessage({ status, workflow }: Pick<Agreement, "status" | "workflow">): WorkflowMembers {
  if (workflow == null) return {};
  const { schedule, pauses, paused } = workflow;
  return defined({
    schedule: schedule === null ? undefined : { ...timing(schedule), sendAt: wireTime(schedule.at) },
    routing:
      pauses.length === 0
        ? undefined
        : {
            pauses: pauses.map(({ beforeRoutingOrder, resumedAt, ...pause }) =>
              defined({
                ...timing(pause),
                beforeRoutingOrder,
                resumeAt: wireTime(pause.at),
                resumedAt: wireTime(resumedAt),
              }),
            ),
          },
    paused: paused === null || !isOpen({ status }) ? undefined : pausedMessage(paused),
  }) as WorkflowMembers;
}

const timing = ({ delaySeconds }: Timing) => (delaySeconds === null ? {} : { delaySeconds });

const pausedMessage = ({ reason, beforeRoutingOrder, since, until }: Paused) =>
  defined({
    reason: reason === "scheduled" ? PauseReason.SCHEDULED : PauseReason.PAUSE,
    beforeRoutingOrder,
    since: wireTime(since),
    until: wireTime(until),
  });

const wireTime = (time: string | null) => (time === null ? undefined : timestampFromDate(new Date(time)));
