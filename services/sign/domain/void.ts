import type { Agreement } from "./agreement.ts";
import type { Change, DecisionContext } from "./change.ts";
import { changeTo } from "./change-list.ts";
import { firstCharacters, storable } from "./free-text.ts";
import { endMails } from "./mails.ts";
import { invalid, problem } from "./problems.ts";
import { invalidStatus, isOpen, withStatus } from "./transitions.ts";

const maxReasonLength = 200;

/** Ends an agreement that people have been asked to sign. */
export function voidAgreement(agreement: Agreement, { reason }: { reason: string }, context: DecisionContext): Change {
  if (!isOpen(agreement)) throw invalidStatus(agreement, "void");
  if (reason.trim() === "") {
    throw invalid(problem("voidedReason", "REQUIRED", "must be specified when an agreement is voided"));
  }
  const voidedReason = firstCharacters(storable(reason), maxReasonLength);
  const { now, actor } = context;
  const voided = { ...withStatus(agreement, "voided", now), voidedReason };
  return changeTo(voided, {
    audit: [{ action: "agreement.voided", actor, details: { reason: voidedReason } }],
    events: [{ kind: "agreement.voided" }],
    jobs: endMails("voided", voided),
  });
}
