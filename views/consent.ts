import type { AgreementState, ConsentEvent, ConsentState, PurposeState } from "#gen/assent/click/v1/click_pb.ts";
import { isoTime } from "./scalars.ts";

/** What a user has consented and agreed to, as the REST API shows it. */
export const consentStateView = (state: ConsentState, options: { withHistory: boolean }): Record<string, unknown> => ({
  userRef: state.userRef,
  organizationId: state.organizationId,
  asOf: isoTime(state.asOf),
  updatedAt: isoTime(state.updatedAt),
  revision: Number(state.revision),
  consents: state.consents.map(purposeView),
  agreements: state.agreements.map(agreementView),
  ...(options.withHistory ? { history: state.history.map(eventView) } : {}),
});

const purposeView = (state: PurposeState): Record<string, unknown> => ({
  purpose: state.purpose,
  status: state.status,
  valid: state.valid,
  legalBasis: state.legalBasis ?? null,
  templateId: state.templateId ?? null,
  versionId: state.versionId ?? null,
  revision: state.revision ?? null,
  locale: state.locale ?? null,
  contentHash: state.contentHash ?? null,
  receiptId: state.receiptId ?? null,
  grantedAt: isoTime(state.grantedAt),
  withdrawnAt: isoTime(state.withdrawnAt),
  expiresAt: isoTime(state.expiresAt),
  updatedAt: isoTime(state.updatedAt),
  source: state.source,
  method: state.method ?? null,
  jurisdiction: state.jurisdiction ?? null,
});

const agreementView = (state: AgreementState): Record<string, unknown> => ({
  templateId: state.templateId,
  templateSlug: state.templateSlug,
  versionId: state.versionId,
  revision: state.revision,
  versionLabel: state.versionLabel,
  acceptedAt: isoTime(state.acceptedAt),
  receiptId: state.receiptId,
  status: state.status,
  isLatest: state.isLatest,
  reacceptanceRequired: state.reacceptanceRequired,
  reacceptBy: isoTime(state.reacceptBy),
});

const eventView = (event: ConsentEvent): Record<string, unknown> => ({
  eventId: event.eventId,
  type: event.type,
  purpose: event.purpose,
  at: isoTime(event.at),
  source: event.source,
  receiptId: event.receiptId ?? null,
  actor: event.actor,
  reason: event.reason ?? null,
  occurredAt: isoTime(event.occurredAt),
});
