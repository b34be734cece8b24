import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { AgreementStatus, VerificationMethod, VerificationMoment } from "#gen/assent/sign/v1/agreement_pb.ts";
import { VerificationOutcome, ViewKind } from "#gen/assent/sign/v1/signing_pb.ts";
import { sessionIdOf } from "../signing/session.ts";
import type { SigningHandlers } from "./fake-sign.ts";
import { sampleAgreement } from "./sample-agreement.ts";

const sessionToken = "S".repeat(64);

/** The session that every link becomes, as addresses name it and as its browser proves it. */
export const signingSession = sessionIdOf(sessionToken);
export const signingCookie = `assent_signing=${sessionToken}`;

const agreement = sampleAgreement({ status: AgreementStatus.SENT });
const returnUrl = "https://app.example/";

/** Links and sessions that never end. */
export const openLinks: SigningHandlers = {
  openView: () => ({ sessionToken, kind: ViewKind.RECIPIENT }),
  getCeremony: () => ({
    kind: ViewKind.RECIPIENT,
    agreement,
    recipientId: agreement.recipients[0]?.id ?? "",
    organizationName: "Acme",
    canAct: true,
  }),
  getCeremonyDocument: () => ({ content: Buffer.from("%PDF-1.7"), fileName: "NDA.pdf" }),
  sendVerificationCode: () => ({
    sent: true,
    verification: { method: VerificationMethod.EMAIL_CODE, before: VerificationMoment.VIEWING, triesLeft: 5 },
  }),
  answerVerification: () => ({ outcome: VerificationOutcome.PASSED, triesLeft: 5 }),
  giveConsent: () => ({ consentedAt: timestampFromDate(new Date(0)) }),
  addAttachment: () => ({ value: "file-1" }),
  finishSigning: () => ({ returnUrl }),
  declineSigning: () => ({ returnUrl }),
  saveSigningProgress: () => ({}),
  leaveSigning: () => ({ returnUrl }),
  endSenderView: () => ({ returnUrl }),
};
