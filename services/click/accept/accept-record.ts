import { DomainError } from "#platform/errors.ts";
import type { NewId } from "#platform/ids.ts";
import type { OutboxRecord } from "#platform/outbox/outbox.ts";
import { type AcceptedConsent, consentsOf } from "../domain/accept-consents.ts";
import { gatherEvidence } from "../domain/acceptance-evidence.ts";
import type { Agreement, SessionFacts } from "../domain/agreement.ts";
import type { Assessment } from "../domain/assessment.ts";
import { buildReceipt } from "../domain/receipt.ts";
import { renderedAt } from "../domain/render-claims.ts";
import { transitions } from "../domain/session.ts";
import { type MergeOutcome, type PresentedToken, type ShownInput, shownFacts } from "../domain/shown.ts";
import { acceptanceRecorded, consentChanged, sessionCompleted, sessionDeclined } from "../events.ts";
import type { AcceptanceRecord, SessionMove } from "../store/record-statement.ts";
import type { CheckedItem } from "./accept-item.ts";
import type { KeyHasher } from "./key-hasher.ts";

export interface RecordInput {
  readonly item: CheckedItem;
  readonly agreement: Agreement;
  readonly session: SessionFacts | undefined;
  readonly assessment: Assessment;
  readonly token: PresentedToken;
  readonly merged: MergeOutcome;
  readonly now: Date;
}

/** Everything that is written for an acceptance that passed its checks. */
export function buildRecord(input: RecordInput, deps: { newId: NewId; keys: KeyHasher }): AcceptanceRecord {
  const { item, agreement, session, assessment, now } = input;
  const { caller, idempotencyKey, body } = item;
  const { policy } = agreement.terms.terms;
  const { versionId, revision, templateId } = agreement;
  const { decision, userRef } = assessment;
  const organizationId = caller.orgId;
  const receiptId = deps.newId();
  const sessionId = session?.id ?? receiptId;
  const isOnce = policy.oneAcceptancePerRevision && decision === "ACCEPT";
  const shown = shownFacts(shownInput(input));
  const receipt = buildReceipt({
    organizationId,
    receiptId,
    sessionId,
    idempotencyKey,
    body,
    agreement,
    assessment,
    shown,
    acceptedAt: now,
  });
  const observed = { ...item.observed, clientId: caller.clientId, requestId: caller.requestId };
  const consents = consentsOf(agreement, assessment, now, deps.newId);
  const move = session === undefined ? null : sessionMove(item, session.id, assessment, policy.singleUseSession);
  return {
    organizationId,
    idempotencyHash: item.idempotencyHash,
    bodyHash: item.bodyHash,
    receiptId,
    templateId,
    versionId,
    revision,
    termsHash: agreement.terms.hash,
    onceHash: isOnce ? deps.keys.onceHash(organizationId, { userRef, versionId, revision }) : null,
    userRef,
    decision,
    acceptedAt: receipt.acceptedAt,
    receipt: JSON.stringify(receipt),
    evidence: JSON.stringify(gatherEvidence(body, assessment, observed, policy, shown)),
    session: move,
    consents,
    events: [
      ...buildEvents(input, deps, receiptId, move),
      ...consents.map((consent) => consentEvent(input, deps.newId, receiptId, consent)),
    ],
  };
}

function shownInput({ item, agreement, session, token, merged }: RecordInput): ShownInput {
  return {
    session,
    claims: typeof token === "object" ? token : undefined,
    renderToken: item.body.renderToken,
    merged: merged instanceof DomainError ? undefined : merged,
    isGenerated: agreement.terms.terms.type === "GENERATED",
  };
}

function sessionMove(item: CheckedItem, id: string, { decision }: Assessment, singleUse: boolean): SessionMove {
  // Only another acceptance may follow the first one, no decline.
  const reusable = !singleUse && decision === "ACCEPT";
  const outcome = decision === "ACCEPT" ? "ACCEPTED" : "DECLINED";
  if (item.completion !== undefined) {
    return { id, to: transitions.complete.to, outcome, reason: item.completion.reason, reusable };
  }
  // An accepted session has not ended yet; a declined one has.
  return decision === "ACCEPT"
    ? { id, to: transitions.accept.to, outcome: null, reason: null, reusable }
    : { id, to: transitions.decline.to, outcome, reason: null, reusable };
}

function buildEvents(
  input: RecordInput,
  { newId, keys }: { newId: NewId; keys: KeyHasher },
  receiptId: string,
  move: SessionMove | null,
): OutboxRecord[] {
  const { item, agreement, session, assessment, token, now } = input;
  const context = () => ({ caller: item.caller, eventId: newId(), now });
  const { templateId, versionId, revision } = agreement;
  const { decision, userRef } = assessment;
  const claims = typeof token === "object" ? token : undefined;
  const events = [
    acceptanceRecorded(context(), {
      receiptId,
      sessionId: move?.id ?? receiptId,
      templateId,
      versionId,
      revision,
      decision,
      acceptedAt: now,
      direct: session === undefined,
      sessionReusable: session !== undefined && !agreement.terms.terms.policy.singleUseSession,
      userKey: keys.userKey(item.caller.orgId, userRef),
      displayedSince: session?.displayedSince ?? (claims && renderedAt(claims)),
      deploymentId: session?.deploymentId ?? claims?.dep,
    }),
  ];
  if (move === null) return events;
  if (decision === "DECLINE") events.push(sessionDeclined(context(), move.id, move.reason, agreement));
  if (item.completion !== undefined) {
    events.push(sessionCompleted(context(), move.id, decision === "ACCEPT" ? "ACCEPTED" : "DECLINED", agreement));
  }
  return events;
}

function consentEvent(input: RecordInput, newId: NewId, receiptId: string, consent: AcceptedConsent): OutboxRecord {
  const { item, agreement, assessment, now } = input;
  const { userRef } = assessment;
  const change = { ...consent, userRef, text: agreement, receiptId, reason: null };
  return consentChanged({ caller: item.caller, eventId: newId(), now }, change);
}
