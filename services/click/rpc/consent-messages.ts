import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type {
  AgreementStateSchema,
  ConsentEventSchema,
  ConsentStateSchema,
  PurposeStateSchema,
} from "#gen/assent/click/v1/click_pb.ts";
import type { ConsentView } from "../consent/read-consent.ts";
import type { AgreementState } from "../domain/agreement-state.ts";
import type { HistoryEntry, PurposeState } from "../domain/consent.ts";

export const consentStateMessage = (view: ConsentView): MessageInitShape<typeof ConsentStateSchema> => ({
  userRef: view.userRef,
  organizationId: view.organizationId,
  asOf: timestampFromDate(view.asOf),
  updatedAt: time(view.updatedAt),
  revision: BigInt(view.revision),
  consents: view.consents.map(purposeMessage),
  agreements: view.agreements.map(agreementMessage),
  history: (view.history ?? []).map(historyMessage),
});

function purposeMessage({
  event,
  status,
  valid,
  updatedAt,
}: PurposeState): MessageInitShape<typeof PurposeStateSchema> {
  return {
    purpose: event.purpose,
    status,
    valid,
    legalBasis: event.legalBasis ?? undefined,
    templateId: event.text?.templateId,
    versionId: event.text?.versionId,
    revision: event.text?.revision,
    locale: event.text?.locale,
    contentHash: event.text?.contentHash,
    receiptId: event.receiptId,
    grantedAt: time(event.grantedAt),
    withdrawnAt: event.type === "WITHDRAWN" ? time(event.recordedAt) : undefined,
    expiresAt: time(event.expiresAt),
    updatedAt: time(updatedAt),
    source: event.source,
    method: event.method ?? undefined,
    jurisdiction: event.jurisdiction ?? undefined,
  };
}

function agreementMessage(agreement: AgreementState): MessageInitShape<typeof AgreementStateSchema> {
  const { acceptance, status, isLatest, reacceptanceRequired, reacceptBy } = agreement;
  return {
    templateId: acceptance.templateId,
    templateSlug: acceptance.templateSlug,
    versionId: acceptance.versionId,
    revision: acceptance.revision,
    versionLabel: acceptance.label,
    acceptedAt: time(acceptance.acceptedAt),
    receiptId: acceptance.receiptId,
    status,
    isLatest,
    reacceptanceRequired,
    reacceptBy: time(reacceptBy),
  };
}

const historyMessage = (entry: HistoryEntry): MessageInitShape<typeof ConsentEventSchema> => ({
  eventId: entry.eventId,
  type: entry.type,
  purpose: entry.purpose,
  at: time(entry.at),
  source: entry.source,
  receiptId: entry.receiptId ?? undefined,
  actor: entry.actor,
  reason: entry.reason ?? undefined,
  occurredAt: time(entry.occurredAt),
});

const time = (date: Date | null) => (date === null ? undefined : timestampFromDate(date));
