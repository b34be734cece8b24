import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { recordsOf } from "#api/records.ts";
import { SessionOrigin, SessionOutcome, SessionSchema, SessionStatus } from "#gen/assent/click/v1/click_pb.ts";
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
