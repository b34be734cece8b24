import { DomainError } from "#platform/errors.ts";
import type {
  AdoptedSignature,
  Agreement,
  CheckMethod,
  Recipient,
  SealedFile,
  SealLevel,
} from "../agreement/agreement.ts";
import {
  type AuditAction,
  type Change,
  changeTo,
  type DecisionContext,
  noChange,
  thenChange,
} from "../agreement/change.ts";
import { invalid } from "../agreement/problems.ts";
import { auditNames, requireRecipient, requireTurn, withRecipient } from "../agreement/recipients.ts";
import { withRecipientStatus, withStatus } from "../agreement/transitions.ts";
import { isOverdue } from "../send/end-agreement.ts";
import { followUpJobs } from "../send/follow-up-jobs.ts";
import { completedMails } from "../send/mails.ts";
import { routeOn } from "../send/route.ts";
import { type Progress, withProgress } from "./progress.ts";
import { fillTabs, type TabValues } from "./tab-values.ts";

/** What a recipient finishes with; a signature that is null is the one adopted before. */
export interface FinishCommand {
  readonly values: TabValues;
  readonly signature: AdoptedSignature | null;
  readonly initials: AdoptedSignature | null;
  /** What was saved before; what the person finishes with comes before it. */
  readonly saved?: Progress | undefined;
  /** What the session has proved of who it is. */
  readonly proven?: readonly CheckMethod[];
}

/**
 * A recipient finished their part. All values are checked first; when the last one who has to act finishes, the
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
  { values, signature, initials, saved, proven = [] }: FinishCommand,
  { now, actor }: DecisionContext,
): Change {
  const before = withProgress(requireRecipient(agreement, recipientId), saved);
  const adopted = { ...before, signature: signature ?? before.signature, initials: initials ?? before.initials };
  const { tabs, problems } = fillTabs(adopted, { values, agreementId: agreement.id, now });
  if (problems.length > 0) throw invalid(...problems.slice(0, maxProblems));
  const completed = withRecipientStatus({ ...adopted, tabs }, "completed", now);
  const verified = proven.length === 0 ? {} : { verified: proven };
  return changeTo(withRecipient(agreement, completed, now), {
    audit: [{ action: finishAction(completed), actor, details: { ...auditNames(completed), ...verified } }],
    events: [{ kind: "recipient.completed", recipientId }],
  });
}

const finishAction = ({ role }: Recipient): AuditAction =>
  role === "approver" ? "recipient.approved" : "recipient.signed";

/** What was sealed of an agreement. */
interface SealedParts {
  /** By the UUID of the document; all of them. */
  readonly documents: ReadonlyMap<string, SealedDocument>;
  /** Undefined until it is made: it tells of everything else. */
  readonly certificate: SealedDocument | undefined;
}

export interface SealedDocument extends SealedFile {
  readonly level: SealLevel;
}

/** Everything is sealed. Does nothing unless the agreement waits for that: whoever comes second changes nothing. */
export function completeAgreement(
  agreement: Agreement,
  { documents: sealed, certificate }: SealedParts,
  { now, actor }: DecisionContext,
): Change {
  if (agreement.status !== "completing") return noChange(agreement);
  const documents = agreement.documents.map((document) => {
    const { id, sha256 } = requireSealed(sealed, document.id);
    return { ...document, sealedId: id, sealedSha256: sha256 };
  });
  const levels = [...sealed.values(), ...(certificate === undefined ? [] : [certificate])].map(({ level }) => level);
  const completed: Agreement = {
    ...withStatus(agreement, "completed", now),
    documents,
    ...(certificate === undefined
      ? {}
      : { certificate: { id: certificate.id, sha256: certificate.sha256 }, sealLevel: lowestLevel(levels) }),
  };
  return changeTo(completed, {
    audit: [{ action: "agreement.completed", actor, details: { documents: documents.map(toldOf(sealed)) } }],
    events: [
      { kind: "agreement.completed" },
      ...documents.map(({ id, sealedSha256: sha256 }) => ({
        ...{ kind: "document.completed" as const, documentId: id, sha256 },
      })),
    ],
    jobs: [...followUpJobs.evidence(completed, now), ...completedMails(completed)],
  });
}

const toldOf =
  (sealed: SealedParts["documents"]) =>
  ({ id, documentId }: { readonly id: string; readonly documentId: string }) => {
    const { sha256, level } = requireSealed(sealed, id);
    return { documentId, sealedSha256: sha256.toString("hex"), sealLevel: level };
  };

function requireSealed(sealed: SealedParts["documents"], id: string): SealedDocument {
  const found = sealed.get(id);
  if (found === undefined) throw new Error(`document ${id} is not sealed`);
  return found;
}

/** What all of them have at least reached; B-T of none. */
export const lowestLevel = (levels: readonly SealLevel[]): SealLevel =>
  levels.every((level) => level === "B-T") ? "B-T" : "B-B";
