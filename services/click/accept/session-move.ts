import type { Agreement, SessionFacts } from "../domain/agreement.ts";
import type { Assessment } from "../domain/assessment.ts";
import { type StoredStatus, transitions } from "../domain/session.ts";
import type { LeafDraft } from "../log/leaf-signer.ts";
import type { SessionMove } from "../store/record-statement.ts";
import { sealCompletion } from "../vault/session-seal.ts";
import type { SubjectVault } from "../vault/subject-vault.ts";
import type { CheckedItem } from "./accept-item.ts";

export interface MoveInput {
  readonly item: CheckedItem;
  readonly agreement: Agreement;
  readonly session: SessionFacts;
  readonly assessment: Assessment;
  readonly receiptId: string;
  readonly now: Date;
}

/** What an acceptance does to its session, with the leaf of its completion if it completes it. */
export interface PlannedMove {
  readonly move: SessionMove;
  readonly leaves: readonly LeafDraft[];
}

export function planMove(input: MoveInput, deps: { vault: SubjectVault; issuer: string }): PlannedMove {
  const { item, agreement, session, assessment } = input;
  const { decision } = assessment;
  // Only another acceptance may follow the first one, no decline.
  const reusable = !agreement.terms.terms.policy.singleUseSession && decision === "ACCEPT";
  const outcome = decision === "ACCEPT" ? "ACCEPTED" : "DECLINED";
  const move = (to: StoredStatus) => ({ id: session.id, to, outcome, sealedReason: null, reusable }) as const;
  if (item.completion !== undefined) {
    const { leaf, sealedReason } = sealCompletion(deps.vault, session.seed, completionInput(input, deps.issuer));
    return { move: { ...move(transitions.complete.to), sealedReason }, leaves: [leaf] };
  }
  // An accepted session has not ended yet; a declined one has.
  return decision === "ACCEPT"
    ? { move: { ...move(transitions.accept.to), outcome: null }, leaves: [] }
    : { move: move(transitions.decline.to), leaves: [] };
}

/** Only the first acceptance of a session completes it, so it is the only one. */
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
