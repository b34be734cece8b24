import { DomainError } from "#platform/errors.ts";
import type { NewId } from "#platform/ids.ts";
import type { OutboxRecord } from "#platform/outbox/outbox.ts";
import { type AcceptedConsent, consentsOf } from "../consent/consent-plan.ts";
import { acceptanceRecorded, consentChanged, sessionCompleted, sessionDeclined } from "../events.ts";
import type { LeafDraft, LeafSigner, SignedLeaf } from "../log/leaf.ts";
import { gatherEvidence, keptEvidence } from "../receipts/acceptance-evidence.ts";
import { acceptanceLeaf, buildReceipt } from "../receipts/receipt.ts";
import { renderedAt } from "../render/render-tokens.ts";
import { type StoredStatus, transitions } from "../sessions/session.ts";
import {
  type Agreement,
  type MergeOutcome,
  type PresentedToken,
  type SessionFacts,
  type ShownInput,
  shownFacts,
} from "../terms/agreement.ts";
import { sealAcceptance, sealCompletion } from "../vault/seals.ts";
import type { KeyHasher, SubjectVault } from "../vault/subject-vault.ts";
import type { CheckedItem } from "./accept-body.ts";
import type { Assessment } from "./assessment.ts";
import type { AcceptanceRecord, SessionMove } from "./record-statement.ts";

export interface RecordInput {
  readonly item: CheckedItem;
  readonly agreement: Agreement;
  readonly session: SessionFacts | undefined;
  readonly assessment: Assessment;
  readonly token: PresentedToken;
  readonly merged: MergeOutcome;
  readonly receiptId: string;
  /** The seed that the record's personal data is sealed with. */
  readonly seed: Buffer;
  readonly now: Date;
}

export interface RecordDeps {
  readonly newId: NewId;
  readonly keys: KeyHasher;
  readonly vault: SubjectVault;
  readonly issuer: string;
}

/** A complete record, except for the signatures of its leaves. */
export interface UnsignedRecord extends Omit<AcceptanceRecord, "leaves"> {
  readonly drafts: readonly LeafDraft[];
}

/** Builds everything that is written for an acceptance that passed its checks. */
export function buildRecord(input: RecordInput, deps: RecordDeps): UnsignedRecord {
  const { item, agreement, session, assessment, receiptId, seed, now } = input;
  const { caller, idempotencyKey, body } = item;
  const { policy } = agreement.terms.terms;
  const { versionId, revision, templateId } = agreement;
  const { decision, userRef } = assessment;
  const organizationId = caller.orgId;
  const isOnce = policy.oneAcceptancePerRevision && decision === "ACCEPT";
  const shown = shownFacts(shownInput(input));
  const sessionId = session?.id ?? receiptId;
  const built = { organizationId, receiptId, sessionId, idempotencyKey, body, agreement, assessment, shown };
  const receipt = buildReceipt({ ...built, acceptedAt: now });
  const observed = { ...item.observed, clientId: caller.clientId, requestId: caller.requestId };
  const evidence = gatherEvidence(body, assessment, observed, policy, shown);
  const termsHash = agreement.terms.hash;
  const { leaf, disclosures } = acceptanceLeaf({ issuer: deps.issuer, receipt, evidence, termsHash });
  const receiptJson = JSON.stringify(receipt);
  const content = { receipt: receiptJson, disclosures, evidence: keptEvidence(evidence) };
  const planned = session === undefined ? undefined : planMove({ ...input, session }, deps);
  const userKey = deps.keys.userKey(organizationId, userRef);
  const consents = consentsOf(agreement, assessment, now, deps.newId);
  return {
    organizationId,
    idempotencyHash: item.idempotencyHash,
    bodyHash: item.bodyHash,
    receiptId,
    templateId,
    versionId,
    revision,
    termsHash,
    onceHash: isOnce ? deps.keys.onceHash(organizationId, { userRef, versionId, revision }) : null,
    subjectIndex: deps.vault.subjectIndex(organizationId, userRef),
    userKey,
    decision,
    acceptedAt: now,
    receipt: receiptJson,
    sealed: sealAcceptance(deps.vault, { organizationId, recordId: receiptId }, seed, content),
    seed,
    session: planned?.move ?? null,
    consents,
    hasCopy: evidence.copyTo !== null,
    events: [
      ...buildEvents(input, deps, userKey),
      ...consents.map((consent) => consentEvent(input, deps.newId, userKey, consent)),
    ],
    drafts: [{ recordId: receiptId, payload: leaf }, ...(planned?.leaves ?? [])],
  };
}

/** Signs the leaves of all records together. Rejects only when the signing keys could never be read. */
export async function signRecords(
  leafSigner: LeafSigner,
  records: readonly UnsignedRecord[],
  now: Date,
): Promise<AcceptanceRecord[]> {
  const drafts = records.flatMap((record) => record.drafts);
  const signed = await leafSigner.sign(drafts, now);
  let taken = 0;
  return records.map(({ drafts, ...record }) => {
    const leaves = signed.slice(taken, taken + drafts.length) as [SignedLeaf, ...SignedLeaf[]];
    taken += drafts.length;
    return { ...record, leaves };
  });
}

export function shownInput({
  item,
  agreement,
  session,
  token,
  merged,
}: Pick<RecordInput, "item" | "agreement" | "session" | "token" | "merged">): ShownInput {
  return {
    session,
    claims: typeof token === "object" ? token : undefined,
    renderToken: item.body.renderToken,
    merged: session === undefined ? mergedText(merged) : mergedInto(session),
    isGenerated: agreement.terms.terms.type === "GENERATED",
  };
}

const mergedText = (merged: MergeOutcome) => (merged instanceof DomainError ? undefined : merged);

const mergedInto = ({ renderHash, data }: SessionFacts) =>
  renderHash === null || data === null ? undefined : { renderHash, data };

function buildEvents(input: RecordInput, { newId }: RecordDeps, userKey: Buffer): OutboxRecord[] {
  const { item, agreement, session, assessment, token, receiptId, now } = input;
  const context = () => ({ caller: item.caller, eventId: newId(), now });
  const { templateId, versionId, revision } = agreement;
  const { decision } = assessment;
  const claims = typeof token === "object" ? token : undefined;
  const events = [
    acceptanceRecorded(context(), {
      receiptId,
      sessionId: session?.id ?? receiptId,
      templateId,
      versionId,
      revision,
      decision,
      acceptedAt: now,
      direct: session === undefined,
      sessionReusable: session !== undefined && !agreement.terms.terms.policy.singleUseSession,
      userKey,
      displayedSince: session?.displayedSince ?? (claims && renderedAt(claims)),
      deploymentId: session?.deploymentId ?? claims?.dep,
    }),
  ];
  if (session === undefined) return events;
  if (decision === "DECLINE") events.push(sessionDeclined(context(), session.id, agreement));
  if (item.completion !== undefined) {
    events.push(sessionCompleted(context(), session.id, decision === "ACCEPT" ? "ACCEPTED" : "DECLINED", agreement));
  }
  return events;
}

function consentEvent(input: RecordInput, newId: NewId, userKey: Buffer, consent: AcceptedConsent): OutboxRecord {
  const { item, agreement, receiptId, now } = input;
  const change = { ...consent, userKey, text: agreement, receiptId };
  return consentChanged({ caller: item.caller, eventId: newId(), now }, change);
}

interface MoveInput {
  readonly item: CheckedItem;
  readonly agreement: Agreement;
  readonly session: SessionFacts;
  readonly assessment: Assessment;
  readonly receiptId: string;
  readonly now: Date;
}

/** How an acceptance changes its session, with the completion leaf if it completes it. */
interface PlannedMove {
  readonly move: SessionMove;
  readonly leaves: readonly LeafDraft[];
}

function planMove(input: MoveInput, deps: { vault: SubjectVault; issuer: string }): PlannedMove {
  const { item, agreement, session, assessment } = input;
  const { decision } = assessment;
  // After the first acceptance only another acceptance may follow, never a decline.
  const reusable = !agreement.terms.terms.policy.singleUseSession && decision === "ACCEPT";
  const outcome = decision === "ACCEPT" ? "ACCEPTED" : "DECLINED";
  const move = (to: StoredStatus) => ({ id: session.id, to, outcome, sealedReason: null, reusable }) as const;
  if (item.completion !== undefined) {
    const { leaf, sealedReason } = sealCompletion(deps.vault, session.seed, completionInput(input, deps.issuer));
    return { move: { ...move(transitions.complete.to), sealedReason }, leaves: [leaf] };
  }
  // A reusable session stays open after an acceptance; a decline ends it.
  return decision === "ACCEPT"
    ? { move: { ...move(transitions.accept.to), outcome: null }, leaves: [] }
    : { move: move(transitions.decline.to), leaves: [] };
}

/** Only the first acceptance can complete a session, so the completion names just this one. */
const completionInput = ({ item, agreement, session, assessment, receiptId, now }: MoveInput, issuer: string) => ({
  issuer,
  organizationId: item.caller.orgId,
  sessionId: session.id,
  outcome: assessment.decision === "ACCEPT" ? ("ACCEPTED" as const) : ("DECLINED" as const),
  text: agreement,
  termsHash: agreement.terms.hash,
  createdAt: session.createdAt,
  completedAt: now,
  receiptIds: [receiptId],
  person: {
    userRef: assessment.userRef,
    reason: item.completion?.reason ?? null,
    metadata: session.metadata,
    context: session.context,
  },
});
