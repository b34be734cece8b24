import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type {
  AgreementStateSchema,
  ClickService,
  ConsentEventSchema,
  ConsentStateSchema,
  GetConsentStateRequest,
  PurposeStateSchema,
} from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import type { ClickDeps } from "../deps.ts";
import { readTime } from "../messages.ts";
import type { AgreementState } from "../terms/agreement-state.ts";
import type { HistoryEntry, PurposeState } from "./consent.ts";
import { type ConsentView, readConsent } from "./read-consent.ts";

export const getConsentState = (
  deps: Pick<ClickDeps, "pool" | "vault" | "clock" | "templateOffers">,
): Pick<ServiceImpl<typeof ClickService>, "getConsentState"> => ({
  async getConsentState(request, context) {
    const { orgId } = requireCaller(context);
    const now = deps.clock.now();
    const { userRef, purpose, templateId, includeHistory } = request;
    const at = readMoment(request, now);
    const view = await readConsent(deps, orgId, { userRef, purpose, templateId, includeHistory, at, now });
    return { state: consentStateMessage(view) };
  },
});

const maxClockSkewMs = 5 * 60_000;

/**
 * A moment in the past; null for now. A slightly later time also means now, because the caller's clock may be
 * ahead.
 */
function readMoment({ at }: GetConsentStateRequest, now: Date): Date | null {
  const moment = readTime("at", at);
  if (moment === undefined) return null;
  if (moment.getTime() > now.getTime() + maxClockSkewMs) {
    const details = [{ field: "at", code: "FUTURE", message: "is more than five minutes in the future" }];
    throw new DomainError("CLICK_VALIDATION_FAILED", { details });
  }
  return moment >= now ? null : moment;
}

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

export function agreementMessage(agreement: AgreementState): MessageInitShape<typeof AgreementStateSchema> {
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
