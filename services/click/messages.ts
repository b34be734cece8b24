import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type AcceptBatchResponse_ResultSchema,
  type AcceptResponseSchema,
  SessionOrigin,
  type SessionSchema,
  SessionOutcome as WireOutcome,
  SessionStatus as WireStatus,
} from "#gen/assent/click/v1/click_pb.ts";
import { DomainError, errorCatalogue } from "#platform/errors.ts";
import type { RecordOutcome } from "./accept/record-queue.ts";
import { verificationRequirements } from "./accept/verification.ts";
import type { SessionOutcome, SessionStatus } from "./sessions/session.ts";
import type { SessionView } from "./sessions/session-view.ts";

export function sessionMessage(session: SessionView): MessageInitShape<typeof SessionSchema> {
  const { presentedAt, acceptedAt, completedAt, expiresAt } = session;
  return {
    id: session.id,
    organizationId: session.organizationId,
    templateId: session.templateId,
    templateSlug: session.templateSlug,
    templateType: session.templateType,
    versionId: session.versionId,
    revision: session.revision,
    label: session.label,
    locale: session.locale,
    contentHash: session.contentHash,
    userRef: session.userRef ?? undefined,
    status: statuses[session.status],
    outcome: session.outcome === null ? WireOutcome.UNSPECIFIED : outcomes[session.outcome],
    origin: session.origin === "API" ? SessionOrigin.API : SessionOrigin.DIRECT,
    policy: session.policy,
    receiptIds: [...session.receiptIds],
    metadata: { ...session.metadata },
    returnUrl: session.returnUrl ?? undefined,
    deploymentId: session.deploymentId ?? undefined,
    renderHash: session.renderHash ?? undefined,
    data: session.data ?? undefined,
    verification: sessionVerification(session),
    createdAt: timestampFromDate(session.createdAt),
    presentedAt: presentedAt === null ? undefined : timestampFromDate(presentedAt),
    acceptedAt: acceptedAt === null ? undefined : timestampFromDate(acceptedAt),
    completedAt: completedAt === null ? undefined : timestampFromDate(completedAt),
    expiresAt: expiresAt === null ? undefined : timestampFromDate(expiresAt),
    updatedAt: timestampFromDate(session.updatedAt),
    erased: session.erased,
    restricted: session.restricted,
  };
}

/** An acceptance is only recorded with the required verification. */
const sessionVerification = ({ policy, acceptedAt }: SessionView): JsonObject => {
  const requirements = verificationRequirements(policy);
  return { ...requirements, satisfied: !requirements.required || acceptedAt !== null };
};

const statuses: Record<SessionStatus, WireStatus> = {
  PENDING: WireStatus.PENDING,
  PRESENTED: WireStatus.PRESENTED,
  ACCEPTED: WireStatus.ACCEPTED,
  DECLINED: WireStatus.DECLINED,
  COMPLETED: WireStatus.COMPLETED,
  EXPIRED: WireStatus.EXPIRED,
  CANCELLED: WireStatus.CANCELLED,
};

const outcomes: Record<SessionOutcome, WireOutcome> = {
  ACCEPTED: WireOutcome.ACCEPTED,
  DECLINED: WireOutcome.DECLINED,
  NONE: WireOutcome.NONE,
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
    const details = [{ field, code: "RANGE", message: "must be between the years 1 and 9999" }];
    throw new DomainError("CLICK_VALIDATION_FAILED", { details });
  }
  return timestampDate(time);
}
