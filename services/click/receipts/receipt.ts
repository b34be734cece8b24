import type { Receipt, ReceiptProof } from "#api/receipts.ts";
import type { AcceptBody } from "../accept/accept-body.ts";
import type { Assessment } from "../accept/assessment.ts";
import { daysAfter } from "../stats/user-days.ts";
import type { Agreement, ShownFacts } from "../terms/agreement.ts";

export interface ReceiptInput {
  readonly organizationId: string;
  readonly receiptId: string;
  /** The receipt id when there is no session. */
  readonly sessionId: string;
  readonly idempotencyKey: string;
  readonly body: AcceptBody;
  readonly agreement: Agreement;
  readonly assessment: Assessment;
  readonly shown: ShownFacts | null;
  readonly acceptedAt: Date;
}

/** A receipt as its reader may see it: personal data is null or empty once it has been erased or restricted. */
export type ReadableReceipt = Omit<Receipt, keyof ReceiptProof>;

/** A receipt without what the log adds: sealed as text when it is recorded, and never built again. */
export type RecordedReceipt = ReadableReceipt & { readonly userRef: string; readonly idempotencyKey: string };

export function buildReceipt(input: ReceiptInput): RecordedReceipt {
  const { agreement, assessment, acceptedAt, body } = input;
  const { terms, policyHash } = agreement.terms;
  const isAccepted = assessment.decision === "ACCEPT";
  const consentDays = terms.type === "CONSENT" ? terms.policy.consentExpiresAfterDays : 0;
  return {
    receiptId: input.receiptId,
    status: "RECORDED",
    decision: assessment.decision,
    organizationId: input.organizationId,
    sessionId: input.sessionId,
    userRef: assessment.userRef,
    templateId: agreement.templateId,
    templateSlug: terms.slug,
    templateName: terms.name,
    templateType: terms.type,
    versionId: agreement.versionId,
    revision: agreement.revision,
    versionLabel: agreement.label,
    locale: agreement.locale,
    contentHash: agreement.contentHash,
    renderHash: input.shown?.renderHash ?? null,
    deploymentId: input.shown?.deploymentId ?? null,
    action: assessment.action,
    assertedBy: "BACKEND",
    purposes: assessment.purposes,
    acceptedAt: acceptedAt.toISOString(),
    clientAcceptedAt: assessment.clientAcceptedAt,
    expiresAt: isAccepted ? isoDaysAfter(acceptedAt, consentDays) : null,
    reacceptBy: isAccepted ? isoDaysAfter(acceptedAt, terms.policy.reacceptIntervalDays) : null,
    superseded: agreement.superseded,
    verification: (body.verification ?? []).map(({ method, verifiedAt = null }) => ({ method, verifiedAt })),
    policy: { hash: policyHash, satisfied: true },
    idempotencyKey: input.idempotencyKey,
    evidenceUrl: `/v1/click/evidence/${input.sessionId}`,
  };
}

const isoDaysAfter = (time: Date, days: number): string | null => daysAfter(time, days)?.toISOString() ?? null;
