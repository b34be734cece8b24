import { DomainError } from "#platform/errors.ts";
import type { AdoptedSignature, Agreement, Recipient } from "./agreement.ts";
import type { AuditAction, Change, DecisionContext } from "./change.ts";
import { changeTo, noChange, thenChange } from "./change-list.ts";
import { isOverdue } from "./expire.ts";
import { invalid } from "./problems.ts";
import { auditNames, requireRecipient, requireTurn, withRecipient } from "./recipients.ts";
import { routeOn } from "./route.ts";
import { fillTabs, type TabValues } from "./tab-values.ts";
import { withRecipientStatus } from "./transitions.ts";

/** What a recipient finishes with; a signature that is null is the one adopted before. */
export interface FinishCommand {
  readonly values: TabValues;
  readonly signature: AdoptedSignature | null;
  readonly initials: AdoptedSignature | null;
}

/**
 * A recipient has done their part. All values are checked first; when the last one who has to act finishes, the
 * agreement is being completed. Throws what requireTurn does, VIEW_URL_EXPIRED when its time is over, CONSENT_REQUIRED,
 * DOCUMENTS_NOT_OPENED, and VALIDATION_FAILED with the tabIds as fields.
 */
export function finishAgreement(
  agreement: Agreement,
  recipientId: string,
  command: FinishCommand,
  context: DecisionContext,
): Change {
  // Looking was all there was to do.
  if (isSeen(requireRecipient(agreement, recipientId))) return noChange(agreement);
  const recipient = requireTurn(agreement, recipientId);
  // The time counts, not when somebody gets to writing down that it is over.
  if (isOverdue(agreement, context.now)) throw new DomainError("VIEW_URL_EXPIRED");
  if (recipient.role !== "certified-delivery" && recipient.consentedAt === null) {
    throw new DomainError("CONSENT_REQUIRED");
  }
  // Nobody finishes what was never sent to them.
  if (recipient.status === "sent") throw new DomainError("DOCUMENTS_NOT_OPENED");
  const finished = finish(agreement, recipientId, command, context);
  return thenChange(finished, (left) => routeOn(left, context));
}

const isSeen = ({ role, status }: Recipient): boolean => role === "certified-delivery" && status === "completed";

/** Errors travel in HTTP/2 trailers, which have little room. */
const maxProblems = 100;

function finish(
  agreement: Agreement,
  recipientId: string,
  { values, signature, initials }: FinishCommand,
  { now, actor }: DecisionContext,
): Change {
  const before = requireRecipient(agreement, recipientId);
  const adopted = { ...before, signature: signature ?? before.signature, initials: initials ?? before.initials };
  const { tabs, problems } = fillTabs(adopted, { values, agreementId: agreement.id, now });
  if (problems.length > 0) throw invalid(...problems.slice(0, maxProblems));
  const completed = withRecipientStatus({ ...adopted, tabs }, "completed", now);
  return changeTo(withRecipient(agreement, completed, now), {
    audit: [{ action: finishAction(completed), actor, details: auditNames(completed) }],
    events: [{ kind: "recipient.completed", recipientId }],
  });
}

const finishAction = ({ role }: Recipient): AuditAction =>
  role === "approver" ? "recipient.approved" : "recipient.signed";
