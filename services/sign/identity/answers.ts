import { DomainError } from "#platform/errors.ts";
import type { Agreement, Check, CheckMethod, Recipient } from "../agreement/agreement.ts";
import { type AuditEntry, type Change, changeTo, type DecisionContext, noChange } from "../agreement/change.ts";
import { invalid, problem } from "../agreement/problems.ts";
import { auditNames, requireRecipient, withRecipient } from "../agreement/recipients.ts";
import { addressOf, maxFailures, newCheck } from "./checks.ts";

const codeMs = 10 * 60_000;
const pauseMs = 30_000;
const hourMs = 3_600_000;
const maxCodesAnHour = 5;

/** The check of this method. Throws VALIDATION_FAILED when it is not asked for. */
export function requireCheck({ verification }: Recipient, method: CheckMethod | undefined): Check {
  const check = verification?.find((one) => one.method === method);
  if (check === undefined) throw invalid(problem("method", "NOT_REQUIRED", "must be a check that is asked for"));
  return check;
}

/** How long nobody can be sent another code; 0 for no time. */
export function waitMs({ sentAt }: Check, now: Date): number {
  const times = sentAt.map((at) => Date.parse(at));
  const last = times.at(-1);
  if (last === undefined) return 0;
  const first = times.at(-maxCodesAnHour);
  const until = Math.max(last + pauseMs, first === undefined ? 0 : first + hourMs);
  return Math.max(0, until - now.getTime());
}

/** The session that something is done in. */
interface InSession {
  readonly recipientId: string;
  readonly method: CheckMethod;
  /** SHA-256 of its link, in hex. */
  readonly session: string;
}

/** Plans a mail with a new code, unless the one before is too recent. Throws VERIFICATION_LOCKED. */
export function sendCode(agreement: Agreement, to: InSession, context: DecisionContext): Change {
  const { now, actor, newId } = context;
  const recipient = requireRecipient(agreement, to.recipientId);
  const check = requireCheck(recipient, to.method);
  if (check.lockedAt !== null) throw new DomainError("VERIFICATION_LOCKED");
  const email = addressOf(check, recipient);
  if (check.method !== "email_code" || email === "") {
    throw invalid(
      problem("method", "NOT_ALLOWED", "must be one that codes are sent for, to a recipient with an address"),
    );
  }
  if (waitMs(check, now) > 0) return noChange(agreement);
  const challenge = newId();
  const sent: Check = {
    ...check,
    sent: { challenge, session: to.session, expiresAt: new Date(now.getTime() + codeMs).toISOString() },
    sentAt: [...check.sentAt, now.toISOString()].slice(-maxCodesAnHour),
  };
  const payload = { agreementId: agreement.id, recipientId: recipient.id, mail: "code", challenge };
  return changeTo(withCheck(agreement, recipient, sent, now), {
    audit: [
      {
        action: "recipient.code-sent",
        actor,
        details: { ...auditNames(recipient), method: check.method, sentTo: email },
      },
    ],
    jobs: [{ kind: "mail", key: `${agreement.id}:${recipient.id}:code:${challenge}`, runAt: now, payload }],
  });
}

/** What became of an answer. */
export type Outcome = "passed" | "wrong" | "no-code" | "locked";

/** An answer, and whether it is right for the check as it is now. */
interface Answer extends InSession {
  /** The check as it was when the answer was looked at. */
  readonly checkId: string;
  isRight(check: Check): boolean;
}

/**
 * Counts an answer. A wrong one and the lock that it may bring are written together, under the lock of the agreement: of
 * many at once no more than five are compared. Throws VERIFICATION_LOCKED.
 */
export function answerCheck(
  agreement: Agreement,
  given: Answer,
  { now, actor }: DecisionContext,
): { readonly change: Change; readonly outcome: Outcome; readonly check: Check } {
  const recipient = requireRecipient(agreement, given.recipientId);
  const check = requireCheck(recipient, given.method);
  if (check.lockedAt !== null) throw new DomainError("VERIFICATION_LOCKED");
  // The sender has set another one meanwhile.
  const isOther = check.id !== given.checkId;
  if (isOther || !canBeAnswered(check, given.session, now))
    return { change: noChange(agreement), outcome: "no-code", check };
  const details = { ...auditNames(recipient), method: check.method };
  if (given.isRight(check)) {
    const passed: Check = { ...check, failures: 0, passedAt: now.toISOString(), sent: null };
    const to = check.method === "email_code" ? { sentTo: addressOf(check, recipient) } : {};
    const audit = [{ action: "recipient.verified", actor, details: { ...details, ...to } }] as const;
    return {
      change: changeTo(withCheck(agreement, recipient, passed, now), { audit }),
      outcome: "passed",
      check: passed,
    };
  }
  const failures = check.failures + 1;
  const isLast = failures >= maxFailures;
  const failed: Check = {
    ...check,
    ...{ failures, failed: check.failed + 1 },
    ...(isLast ? { lockedAt: now.toISOString(), sent: null } : {}),
  };
  const audit: AuditEntry[] = [{ action: "recipient.verification-failed", actor, details: { ...details, failures } }];
  if (isLast) audit.push({ action: "recipient.verification-locked", actor, details });
  const events = isLast ? [{ kind: "recipient.locked" as const, recipientId: recipient.id }] : [];
  const change = changeTo(withCheck(agreement, recipient, failed, now), { audit, events });
  return { change, outcome: isLast ? "locked" : "wrong", check: failed };
}

/** A mailed code can be answered in the session that asked for it, until it is too old. */
function canBeAnswered({ method, sent }: Check, session: string, now: Date): boolean {
  if (method === "access_code") return true;
  return sent !== null && sent.session === session && now.getTime() < Date.parse(sent.expiresAt);
}

/** Lets a recipient try again, with another access code if one is given. Throws VALIDATION_FAILED. */
export function unlockChecks(
  agreement: Agreement,
  recipient: Recipient,
  accessCode: string,
  { now, actor, newId }: DecisionContext,
): Change {
  const checks = recipient.verification ?? [];
  // What somebody has signed with is what they have proved.
  if (accessCode !== "" && recipient.status === "completed") throw new DomainError("RECIPIENT_ALREADY_SIGNED");
  const isCoded = checks.some(({ method }) => method === "access_code");
  if (accessCode !== "" && !isCoded) throw invalid(problem("accessCode", "NOT_REQUIRED", "is not asked for"));
  const next = checks.map((check): Check => {
    if (check.method === "access_code" && accessCode !== "") {
      return { ...newCheck({ ...check, code: accessCode }, { newId }), failed: check.failed };
    }
    return check.lockedAt === null ? check : { ...check, failures: 0, lockedAt: null, sentAt: [] };
  });
  if (next.every((check, index) => check === checks[index])) return noChange(agreement);
  const details = { ...auditNames(recipient), codeSet: accessCode !== "" };
  return changeTo(withRecipient(agreement, { ...recipient, verification: next }, now), {
    audit: [{ action: "recipient.verification-unlocked", actor, details }],
  });
}

const withCheck = (agreement: Agreement, recipient: Recipient, check: Check, now: Date): Agreement =>
  withRecipient(
    agreement,
    { ...recipient, verification: (recipient.verification ?? []).map((one) => (one.id === check.id ? check : one)) },
    now,
  );
