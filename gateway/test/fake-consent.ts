import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { consentReceipt } from "#api/receipts.ts";
import type { ClickService, GetConsentStateRequest, UpdateConsentStateRequest } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { wholeJson } from "./whole-json.ts";

const now = timestampFromDate(new Date("2026-11-20T17:00:00.123Z"));

export const consentReceiptId = "0190a000-0000-7000-8000-0000000000c2";
const receiptJson = wholeJson(consentReceipt.schemas.answer, { receiptId: consentReceiptId });

/** Consent that is only counted: the revision grows with every change. */
export function createFakeConsent() {
  const revisions = new Map<string, bigint>();
  const seen: { reads: GetConsentStateRequest[]; changes: UpdateConsentStateRequest[] } = { reads: [], changes: [] };
  const stateOf = (organizationId: string, userRef: string) => {
    const revision = revisions.get(`${organizationId} ${userRef}`) ?? 0n;
    if (revision === 0n) return { userRef, organizationId, asOf: now, revision };
    return {
      userRef,
      organizationId,
      asOf: now,
      updatedAt: now,
      revision,
      consents: [{ purpose: "marketing_email", status: "GRANTED", valid: true, source: "ACCEPT", grantedAt: now }],
      agreements: [
        {
          templateId: "0190a000-0000-7000-8000-0000000000fe",
          templateSlug: "terms",
          versionId: "0190a000-0000-7000-8000-0000000000fd",
          revision: 1,
          versionLabel: "1.0",
          acceptedAt: now,
          receiptId: "0190a000-0000-7000-8000-0000000000fc",
          status: "ACCEPTED",
        },
      ],
      history: [
        {
          eventId: "0190a000-0000-7000-8000-0000000000fb",
          type: "GRANTED",
          purpose: "marketing_email",
          at: now,
          source: "ACCEPT",
          actor: "USER",
        },
      ],
    };
  };

  const handlers = {
    getConsentState: (request, context) => {
      seen.reads.push(request);
      return { state: stateOf(requireCaller(context).orgId, request.userRef) };
    },
    updateConsentState: (request, context) => {
      const { orgId } = requireCaller(context);
      seen.changes.push(request);
      const key = `${orgId} ${request.userRef}`;
      const revision = revisions.get(key) ?? 0n;
      if (request.expectedRevision !== undefined && request.expectedRevision !== revision) {
        throw new DomainError("CLICK_CONSENT_CONFLICT");
      }
      revisions.set(key, revision + 1n);
      const replayed = request.idempotencyKey === "replayed";
      return { state: stateOf(orgId, request.userRef), receiptsJson: [receiptJson], replayed };
    },
  } satisfies Partial<ServiceImpl<typeof ClickService>>;
  return { handlers, seen };
}
