import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { recordsOf } from "#api/records.ts";
import {
  type AcceptBatchResponse_ResultSchema,
  type AcceptResponseSchema,
  SessionOrigin,
  SessionOutcome,
  SessionSchema,
  SessionStatus,
} from "#gen/assent/click/v1/click_pb.ts";
import { errorCatalogue } from "#platform/errors.ts";
import type { RecordOutcome } from "./accept/record-queue.ts";
import { verificationRequirements } from "./accept/verification.ts";
import { invalid, problem } from "./problems.ts";
import type { SessionView } from "./sessions/session-view.ts";

const sessions = recordsOf(SessionSchema, { status: SessionStatus, outcome: SessionOutcome, origin: SessionOrigin });

export const sessionMessage = (session: SessionView): MessageInitShape<typeof SessionSchema> =>
  sessions.write({ ...session, verification: sessionVerification(session) });

/** An acceptance is only recorded with the required verification. */
const sessionVerification = ({ policy, acceptedAt }: SessionView): JsonObject => {
  const requirements = verificationRequirements(policy);
  return { ...requirements, satisfied: !requirements.required || acceptedAt !== null };
};

/** Throws the error of a refusal. */
export function acceptResponse(outcome: RecordOutcome): MessageInitShape<typeof AcceptResponseSchema> {
  if (outcome.kind === "refused") throw outcome.error;
  const { kind, receiptId, receipt } = outcome;
  return { receiptId, receiptJson: receipt, replayed: kind === "replayed" };
}

export function batchResult(outcome: RecordOutcome): MessageInitShape<typeof AcceptBatchResponse_ResultSchema> {
  if (outcome.kind !== "refused") return { outcome: { case: "receipt", value: acceptResponse(outcome) } };
  const { code, message, details } = outcome.error;
  const shown = message === errorCatalogue[code].message ? "" : message;
  return {
    outcome: { case: "error", value: { errorCode: code, message: shown, details: details.map((one) => ({ ...one })) } },
  };
}

/** Timestamp covers the years 0001 to 9999; neither JSON nor the database accepts others. */
const [firstSecond, lastSecond] = [-62_135_596_800n, 253_402_300_799n];

/** Reads a time from a request. Throws CLICK_VALIDATION_FAILED when it is out of range. */
export function readTime(field: string, time: Timestamp): Date;
export function readTime(field: string, time: Timestamp | undefined): Date | undefined;
export function readTime(field: string, time: Timestamp | undefined): Date | undefined {
  if (time === undefined) return undefined;
  if (time.seconds < firstSecond || time.seconds > lastSecond) {
    throw invalid(problem(field, "RANGE", "must be between the years 1 and 9999"));
  }
  return timestampDate(time);
}
