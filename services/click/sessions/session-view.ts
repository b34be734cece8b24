import type { JsonObject } from "@bufbuild/protobuf";
import type { AcceptanceEvidence } from "../receipts/acceptance-evidence.ts";
import type { ReadableReceipt } from "../receipts/receipt.ts";
import { type RenderClaims, secondsOf } from "../render/render-tokens.ts";
import type { BoundText } from "../terms/agreement.ts";
import type { Policy, TemplateType } from "../terms/policy.ts";
import type { Terms } from "../terms/terms.ts";
import {
  type KnownPerson,
  outcomeAt,
  type SessionOutcome,
  type SessionState,
  type SessionStatus,
  statusAt,
} from "./session.ts";

/** A session as its readers see it at a given time. */
export interface SessionView extends BoundText {
  readonly id: string;
  readonly organizationId: string;
  readonly templateSlug: string;
  readonly templateType: TemplateType;
  readonly userRef: string | null;
  readonly status: SessionStatus;
  readonly outcome: SessionOutcome | null;
  readonly origin: "API" | "DIRECT";
  readonly policy: Policy & JsonObject;
  readonly receiptIds: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly returnUrl: string | null;
  readonly deploymentId: string | null;
  readonly renderHash: string | null;
  /** Merge values of a GENERATED template. */
  readonly data: JsonObject | null;
  /** The claims of its render token; null when there is nothing left to render for. */
  readonly claims: RenderClaims | null;
  readonly createdAt: Date;
  readonly presentedAt: Date | null;
  readonly acceptedAt: Date | null;
  readonly completedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly updatedAt: Date;
  /** Its personal data was erased, or is visible to administrators only. */
  readonly erased: boolean;
  readonly restricted: boolean;
}

/** The view of a session row, with its terms and the ids of its receipts. */
export interface SessionRecord extends BoundText, SessionState {
  readonly id: string;
  readonly createdAt: Date;
  readonly presentedAt: Date | null;
  readonly acceptedAt: Date | null;
  readonly completedAt: Date | null;
  readonly updatedAt: Date;
  readonly clientId: string;
  readonly deploymentId: string | null;
  readonly deploymentHash: string | null;
  readonly renderHash: string | null;
  readonly wordsHash: string | null;
  /** JSON. */
  readonly terms: string;
  readonly receiptIds: readonly string[];
}

export function viewSession(
  organizationId: string,
  session: SessionRecord,
  known: KnownPerson,
  now: Date,
): SessionView {
  const terms = JSON.parse(session.terms) as Terms;
  const { person, erased, restricted } = known;
  return {
    id: session.id,
    organizationId,
    templateId: session.templateId,
    templateSlug: terms.slug,
    templateType: terms.type,
    versionId: session.versionId,
    revision: session.revision,
    label: session.label,
    locale: session.locale,
    contentHash: session.contentHash,
    userRef: person.userRef,
    status: statusAt(session, now),
    outcome: outcomeAt(session, now),
    origin: "API",
    policy: terms.policy,
    receiptIds: session.receiptIds,
    metadata: person.metadata,
    returnUrl: person.returnUrl,
    deploymentId: session.deploymentId,
    // The hash of a text with a person's values reveals something about them.
    renderHash: terms.type === "GENERATED" && known.seed === null ? null : session.renderHash,
    data: person.data,
    claims: erased || restricted ? null : sessionClaims(organizationId, session, now),
    createdAt: session.createdAt,
    presentedAt: session.presentedAt,
    acceptedAt: session.acceptedAt,
    completedAt: session.completedAt,
    expiresAt: session.expiresAt,
    // Computed from the time, so it does not depend on whether the sweeper has run.
    updatedAt: statusAt(session, now) === "EXPIRED" ? session.expiresAt : session.updatedAt,
    erased,
    restricted,
  };
}

/** Always in the same order, so that a session reads the same as in the answer that created it. */
function sessionClaims(organizationId: string, session: SessionRecord, now: Date): RenderClaims | null {
  const { id, renderHash, wordsHash, deploymentId, deploymentHash } = session;
  if (renderHash === null || wordsHash === null || session.expiresAt <= now) return null;
  return {
    rnd: id,
    org: organizationId,
    cid: session.clientId,
    sid: id,
    ...(deploymentId === null || deploymentHash === null ? {} : { dep: deploymentId, dsh: deploymentHash }),
    tpl: session.templateId,
    ver: session.versionId,
    rev: session.revision,
    locale: session.locale,
    ch: session.contentHash,
    rh: renderHash,
    wh: wordsHash,
    iat: secondsOf(session.createdAt),
    exp: secondsOf(session.expiresAt),
  };
}

/** The session that an acceptance without one stands for: completed at the moment it was recorded. */
export function viewDirect(
  receipt: ReadableReceipt,
  terms: Terms,
  evidence: AcceptanceEvidence | null,
  { erased, restricted }: Pick<SessionView, "erased" | "restricted">,
): SessionView {
  const recordedAt = new Date(receipt.acceptedAt);
  const isAccepted = receipt.decision === "ACCEPT";
  return {
    id: receipt.receiptId,
    organizationId: receipt.organizationId,
    templateId: receipt.templateId,
    templateSlug: receipt.templateSlug,
    templateType: terms.type,
    versionId: receipt.versionId,
    revision: receipt.revision,
    label: receipt.versionLabel,
    locale: receipt.locale,
    contentHash: receipt.contentHash,
    userRef: receipt.userRef,
    status: "COMPLETED",
    outcome: isAccepted ? "ACCEPTED" : "DECLINED",
    origin: "DIRECT",
    policy: terms.policy,
    receiptIds: [receipt.receiptId],
    metadata: evidence?.metadata ?? {},
    returnUrl: null,
    deploymentId: receipt.deploymentId,
    renderHash: receipt.renderHash,
    data: evidence?.shown?.data ?? null,
    claims: null,
    createdAt: recordedAt,
    presentedAt: null,
    acceptedAt: isAccepted ? recordedAt : null,
    completedAt: recordedAt,
    expiresAt: null,
    updatedAt: recordedAt,
    erased,
    restricted,
  };
}
