import type { VerificationMethod } from "#gen/assent/sign/v1/agreement_pb.ts";
import { type Visitor, VerificationOutcome as WireOutcome } from "#gen/assent/sign/v1/signing_pb.ts";
import { DomainError } from "#platform/errors.ts";
import type { Check, Recipient } from "../agreement/agreement.ts";
import type { Change } from "../agreement/change.ts";
import { changeAgreement } from "../agreement/change-agreement.ts";
import { agreementTarget, decisionContext, waitingCaller } from "../agreement/context.ts";
import { agreementMessage } from "../agreement/messages.ts";
import { invalid, problem } from "../agreement/problems.ts";
import { requireRecipient } from "../agreement/recipients.ts";
import type { SignDeps, SigningRpcs, SignRpcs } from "../deps.ts";
import { findRecipient } from "../edit/edit-recipients.ts";
import { requireOpenableSession } from "../signing/ceremony-handlers.ts";
import { changeInSession, type RecipientSession, signerContext } from "../signing/signing-session.ts";
import { noteProof } from "../signing/view-store.ts";
import { answerCheck, type Outcome, requireCheck, sendCode, unlockChecks } from "./answers.ts";
import { checkProblems, maxFailures } from "./checks.ts";
import { isSameCode } from "./codes.ts";
import { methodOf, pendingMessage } from "./messages.ts";

/** What people do who have to prove something. */
export const verifyInSession = (deps: SignDeps): SigningRpcs<"sendVerificationCode" | "answerVerification"> => ({
  async sendVerificationCode({ sessionToken, method, visitor }) {
    const { session, check, given } = await findCheck(deps, { sessionToken, method });
    const decision = signerContext(deps, session.recipient, visitor);
    let isSent = false;
    const changed = await changeInSession(deps, session, visitor, (current) => {
      const change = sendCode(current, given, decision);
      isSent = change.jobs.length > 0;
      return change;
    });
    const recipient = requireRecipient(changed, session.recipient.id);
    const verification = pendingMessage(requireCheck(recipient, check.method), recipient, session.view, decision.now);
    return { sent: isSent, verification };
  },
  async answerVerification({ sessionToken, method, code, visitor }) {
    const { session, check, given } = await findCheck(deps, { sessionToken, method });
    if (code.trim() === "") throw invalid(problem("code", "REQUIRED", "must be given"));
    // Nobody makes this service compute for a check that no answer passes.
    if (check.lockedAt !== null) throw new DomainError("VERIFICATION_LOCKED");
    const isRight = await comparison(deps, session, check, code);
    const answered = await answerInSession(deps, { session, visitor }, { ...given, checkId: check.id, isRight });
    return {
      outcome: wireOutcomes[answered.outcome],
      triesLeft: Math.max(0, maxFailures - answered.check.failures),
    };
  },
});

const wireOutcomes: Readonly<Record<Outcome, WireOutcome>> = {
  passed: WireOutcome.PASSED,
  wrong: WireOutcome.WRONG,
  "no-code": WireOutcome.NO_CODE,
  locked: WireOutcome.LOCKED,
};

async function findCheck(
  deps: SignDeps,
  asked: { readonly sessionToken: string; readonly method: VerificationMethod },
) {
  const session = await requireOpenableSession(deps, asked.sessionToken);
  const check = requireCheck(session.recipient, methodOf(asked.method));
  const given = {
    ...{ recipientId: session.recipient.id, method: check.method },
    session: session.view.tokenHash.toString("hex"),
  };
  return { session, check, given };
}

/** The dear part is done before the agreement is locked. */
async function comparison(
  { codes }: Pick<SignDeps, "codes">,
  { orgId }: RecipientSession,
  { method, secret }: Check,
  code: string,
): Promise<(check: Check) => boolean> {
  if (method === "access_code") {
    const isKept = secret !== null && (await codes.isKept(orgId, secret, code.trim()));
    return () => isKept;
  }
  const digits = digitsOf(code);
  return ({ sent }) => sent !== null && isSameCode(digits, codes.emailCode(orgId, sent.challenge));
}

/** However they were typed: with spaces, in full width or with Arabic digits. */
const digitsOf = (code: string): string =>
  code
    .normalize("NFKC")
    .replaceAll(/\s/gu, "")
    .replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/gu, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf));

async function answerInSession(
  deps: SignDeps,
  { session, visitor }: { readonly session: RecipientSession; readonly visitor: Visitor | undefined },
  answer: Parameters<typeof answerCheck>[1],
) {
  const decision = signerContext(deps, session.recipient, visitor);
  let answered: ReturnType<typeof answerCheck> | undefined;
  await changeInSession(
    deps,
    session,
    visitor,
    (current): Change => {
      answered = answerCheck(current, answer, decision);
      return answered.change;
    },
    // In the transaction in which the answer is counted: what was proved is never known without it, nor the other way round.
    async (tenant) => {
      if (answered?.outcome !== "passed") return;
      await noteProof(tenant, session.view.tokenHash, { checkId: answered.check.id, at: decision.now });
    },
  );
  if (answered === undefined) throw new Error("an answer was not counted");
  return answered;
}

export const unlockVerification = (deps: SignDeps): SignRpcs<"unlockVerification"> => ({
  async unlockVerification({ agreementId, recipientId, accessCode, observed }, context) {
    const caller = waitingCaller(context);
    await deps.organizations.of(caller.orgId);
    const decision = decisionContext(deps, caller, observed);
    const agreement = await changeAgreement(deps, caller, agreementTarget(agreementId), (current) => {
      const recipient = findRecipient(current, recipientId);
      if (recipient === undefined) throw new DomainError("RECIPIENT_NOT_FOUND");
      requireStorable(recipient, accessCode);
      return unlockChecks(current, recipient, accessCode, decision);
    });
    return { agreement: agreementMessage(agreement, caller.orgId) };
  },
});

function requireStorable({ verification }: Recipient, code: string): void {
  const check = verification?.find(({ method }) => method === "access_code");
  if (check === undefined || code === "") return;
  const [wrong] = checkProblems([{ ...check, code }], "");
  if (wrong !== undefined) throw invalid(problem("accessCode", wrong.code, wrong.message));
}
