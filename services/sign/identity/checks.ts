import type { FieldProblem } from "#platform/errors.ts";
import { isStorable } from "#platform/json-object.ts";
import { isEmailAddress } from "#platform/mail/mail.ts";
import type { Check, CheckMethod, Recipient } from "../agreement/agreement.ts";
import type { DecisionContext } from "../agreement/change.ts";
import type { RecipientDefinition } from "../agreement/definition.ts";
import { lengthOf, problem } from "../agreement/problems.ts";
import type { View } from "../signing/view.ts";

/** The fifth wrong answer locks a check. */
export const maxFailures = 5;

const hourMs = 3_600_000;
/** What a session has proved holds no longer than this, however long it is used. */
const provenMs = 4 * hourMs;
/** Of three characters the five tries guess one in two hundred codes of digits: existing integrations send such. */
const codeLength = { min: 3, max: 50 };

/** A check that is asked for anew. */
export const newCheck = (
  given: Pick<Check, "method" | "before" | "email" | "code">,
  { newId }: Pick<DecisionContext, "newId">,
): Check => ({
  ...given,
  id: newId(),
  secret: null,
  ...{ failures: 0, failed: 0, lockedAt: null, passedAt: null, sent: null, sentAt: [] },
});

/** The checks of a recipient as somebody else has them who takes the place: nothing of them was passed or failed. */
export const afresh = (checks: Recipient["verification"], context: Pick<DecisionContext, "newId">): readonly Check[] =>
  (checks ?? []).map((check) => ({ ...newCheck(check, context), secret: check.secret }));

/**
 * What a request says of the checks, with what was there before: a check that it leaves as it was goes on where it was.
 */
export function mergedChecks(
  before: Recipient["verification"],
  given: readonly Check[],
  context: Pick<DecisionContext, "newId">,
): readonly Check[] {
  return given.map((wanted) => {
    const known = before?.find(({ method }) => method === wanted.method);
    if (known === undefined) return { ...wanted, id: context.newId() };
    if (wanted.code === "" && known.email === wanted.email) return { ...known, before: wanted.before };
    return { ...newCheck(wanted, context), secret: wanted.secret, failed: known.failed };
  });
}

/** Recipients that are given anew: whoever says nothing of the code of somebody who has one leaves it as it is. */
export const withKeptCodes = (
  definitions: readonly RecipientDefinition[],
  recipients: readonly Recipient[],
): readonly RecipientDefinition[] =>
  definitions.map((definition) => {
    const known = recipients.find(({ recipientId }) => recipientId === definition.recipientId)?.verification;
    const kept = known?.find(({ secret }) => secret !== null)?.secret;
    if (!definition.verification || !kept) return definition;
    const isSilent = ({ method, code, secret }: Check): boolean =>
      method === "access_code" && code === "" && secret === null;
    const verification = definition.verification.map((one) => (isSilent(one) ? { ...one, secret: kept } : one));
    return { ...definition, verification };
  });

/** What is wrong with the checks of a recipient, whatever else is known of them. */
export function checkProblems(checks: readonly Check[], field: string): readonly FieldProblem[] {
  const seen = new Set<CheckMethod>();
  return checks.flatMap((check, index) => {
    const at = `${field}.verification[${index}]`;
    const isTwice = seen.has(check.method);
    seen.add(check.method);
    if (isTwice) return [problem(`${at}.method`, "DUPLICATE", "must be asked for once")];
    return check.method === "access_code" ? codeProblems(check, at) : emailProblems(check, at);
  });
}

function codeProblems({ code, secret, email }: Check, at: string): readonly FieldProblem[] {
  if (email !== "") return [problem(`${at}.email`, "NOT_ALLOWED", "is for email_code")];
  if (code === "") return secret === null ? [problem(`${at}.accessCode`, "REQUIRED", "must be given")] : [];
  const length = lengthOf(code);
  const isShort = length < codeLength.min || length > codeLength.max;
  if (isShort || !isStorable(code) || code.trim() !== code) {
    const { min, max } = codeLength;
    const message = `must have ${min} to ${max} characters, and no spaces at its ends`;
    return [problem(`${at}.accessCode`, "OUT_OF_RANGE", message)];
  }
  return [];
}

function emailProblems({ email, code }: Check, at: string): readonly FieldProblem[] {
  if (code !== "") return [problem(`${at}.accessCode`, "NOT_ALLOWED", "is for access_code")];
  return email === "" || isEmailAddress(email)
    ? []
    : [problem(`${at}.email`, "INVALID_EMAIL", "must be an email address")];
}

/** Where the codes of a check go; empty where there is no address to send them to. */
export const addressOf = ({ email }: Check, recipient: Pick<Recipient, "email">): string => email || recipient.email;

/** What the session of a view still has to prove, of a recipient as they are now. */
export const pendingChecks = (
  { verification }: Pick<Recipient, "verification">,
  { proofs }: Pick<View, "proofs">,
  now: Date,
): readonly Check[] => (verification ?? []).filter(({ id }) => !isProven(proofs[id], now));

/** Whether nothing may be shown before the check is passed. Who only looks has nothing to finish. */
export const isBeforeViewing = ({ before }: Check, { role }: Pick<Recipient, "role">): boolean =>
  before === "viewing" || role === "certified-delivery" || role === "carbon-copy";

/** Whether mails, too, say nothing of the documents. */
export const isShownLater = (recipient: Pick<Recipient, "role" | "verification">): boolean =>
  recipient.verification?.some((check) => isBeforeViewing(check, recipient)) === true;

/** A clock that is ahead of this one proves nothing for longer. */
function isProven(at: string | undefined, now: Date): boolean {
  if (at === undefined) return false;
  const age = now.getTime() - Date.parse(at);
  return age < provenMs && age > -provenMs;
}

/** As much of an address as somebody may see who has proved nothing. */
export function hintOf(address: string): string {
  const at = address.lastIndexOf("@");
  if (at <= 0) return "";
  const [first = ""] = address;
  return `${first}•••${address.slice(at)}`;
}
