import type { AcceptBody, PurposeDecision } from "../accept/accept-body.ts";
import type { Assessment } from "../accept/assessment.ts";
import { daysAfter } from "../stats/user-days.ts";
import type { Agreement } from "../terms/agreement.ts";
import type { ShownFacts } from "../terms/shown.ts";

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

/** A receipt up to what the log adds: sealed as text when it is recorded, and never built again. */
export interface RecordedReceipt {
  readonly receiptId: string;
  readonly status: "RECORDED";
  readonly decision: "ACCEPT" | "DECLINE";
  readonly organizationId: string;
  readonly sessionId: string;
  readonly userRef: string;
  readonly templateId: string;
  readonly templateSlug: string;
  readonly templateName: string;
  readonly templateType: string;
  readonly versionId: string;
  readonly revision: number;
  readonly versionLabel: string;
  readonly locale: string;
  readonly contentHash: string;
  readonly renderHash: string | null;
  readonly deploymentId: string | null;
  readonly action: string;
  readonly assertedBy: "BACKEND" | "WIDGET";
  readonly purposes: readonly PurposeDecision[];
  readonly acceptedAt: string;
  readonly clientAcceptedAt: string | null;
  readonly expiresAt: string | null;
  readonly reacceptBy: string | null;
  readonly superseded: boolean;
  readonly verification: readonly { readonly method: string; readonly verifiedAt: string | null }[];
  readonly policy: { readonly hash: string; readonly satisfied: boolean };
  readonly idempotencyKey: string;
  readonly evidenceUrl: string;
}

/** A receipt as its reader may know it: what is personal is null or empty once it was erased or restricted. */
export interface ReadableReceipt extends Omit<RecordedReceipt, "userRef" | "idempotencyKey"> {
  readonly userRef: string | null;
  readonly idempotencyKey: string | null;
}

/** What the API answers for an acceptance. */
export interface Receipt extends ReadableReceipt {
  readonly erased: boolean;
  readonly restricted: boolean;
  readonly log: ReceiptLog;
  readonly signature: ReceiptSignature;
}

/** Where the log holds the leaf of a receipt, or will by `integrateBy`. */
export interface ReceiptLog {
  readonly logId: string;
  readonly origin: string;
  readonly leafIndex: number;
  /** `sha256:<hex>` of RFC 6962. */
  readonly leafHash: string;
  readonly integrateBy: string;
}

export interface ReceiptSignature {
  readonly alg: "EdDSA";
  readonly kid: string;
  /** The compact JWS over the bytes of the leaf. */
  readonly jws: string;
}

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
