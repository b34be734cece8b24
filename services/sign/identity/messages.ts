import type { MessageInitShape } from "@bufbuild/protobuf";
import { nameReader, recordsOf } from "#api/records.ts";
import {
  type VerificationInputs,
  VerificationSchema,
  Assurance as WireAssurance,
  VerificationMethod as WireMethod,
  VerificationMoment as WireMoment,
  VerificationState as WireState,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import type { PendingVerificationSchema } from "#gen/assent/sign/v1/signing_pb.ts";
import type { Check, CheckMethod, Recipient } from "../agreement/agreement.ts";
import { invalid, problem } from "../agreement/problems.ts";
import type { View } from "../signing/view.ts";
import { waitMs } from "./answers.ts";
import { addressOf, hintOf, maxFailures, newCheck } from "./checks.ts";

const methods = {
  access_code: WireMethod.ACCESS_CODE,
  email_code: WireMethod.EMAIL_CODE,
} as const satisfies Record<CheckMethod, WireMethod>;
const moments = { viewing: WireMoment.VIEWING, signing: WireMoment.SIGNING } as const;

/** Undefined when the method is unspecified. */
export const methodOf = nameReader(methods);
const momentOf = nameReader(moments);

/** The checks that a request asks for; they have no ids yet. Throws VALIDATION_FAILED. */
export const parseChecks = (message: VerificationInputs, field: string): readonly Check[] =>
  message.checks.map(({ method: wireMethod, before, email, accessCode }, index) => {
    const method = methodOf(wireMethod);
    if (method === undefined) {
      throw invalid(problem(`${field}.verification[${index}].method`, "ENUM", "must be a known method"));
    }
    const given = { method, before: momentOf(before) ?? "viewing", email: email.trim().normalize("NFC") } as const;
    return newCheck({ ...given, code: accessCode }, { newId: () => "" });
  });

const verifications = recordsOf(VerificationSchema, {
  method: methods,
  before: moments,
  state: { pending: WireState.PENDING, passed: WireState.PASSED, locked: WireState.LOCKED },
});

const dateOf = (at: string | null): Date | null => (at === null ? null : new Date(at));

/** How far the check is; nothing of its code. */
const verificationMessage = (check: Check): MessageInitShape<typeof VerificationSchema> =>
  verifications.write({
    ...{ method: check.method, before: check.before, email: check.email, failures: check.failed },
    state: check.lockedAt !== null ? "locked" : check.passedAt !== null ? "passed" : "pending",
    passedAt: dateOf(check.passedAt),
    lockedAt: dateOf(check.lockedAt),
  });

/** What somebody is told of a check who has not passed it. */
export const pendingMessage = (
  check: Check,
  recipient: Pick<Recipient, "email">,
  { tokenHash }: Pick<View, "tokenHash">,
  now: Date,
): MessageInitShape<typeof PendingVerificationSchema> => ({
  ...{ method: methods[check.method], before: moments[check.before], isLocked: check.lockedAt !== null },
  hint: check.method === "email_code" ? hintOf(addressOf(check, recipient)) : "",
  triesLeft: Math.max(0, maxFailures - check.failures),
  isSent:
    check.sent !== null &&
    check.sent.session === tokenHash.toString("hex") &&
    now.getTime() < Date.parse(check.sent.expiresAt),
  waitSeconds: check.method === "email_code" ? Math.ceil(waitMs(check, now) / 1_000) : 0,
});

/** Of a recipient who is asked for something or has opened something: what was checked, and what that comes to. */
export const checkMembers = (recipient: Recipient) => ({
  verification: (recipient.verification ?? []).map(verificationMessage),
  assurance: assuranceOf(recipient) ?? null,
});

/** What is known of who somebody is, by the table of docs/identity.md; undefined for somebody who has opened nothing. */
export function assuranceOf({ verification, deliveredAt }: Recipient): AssuranceLevel | undefined {
  const passed = new Set((verification ?? []).filter(({ passedAt }) => passedAt !== null).map(({ method }) => method));
  if (passed.has("access_code")) return passed.has("email_code") ? "combined" : "shared-secret";
  if (passed.has("email_code")) return "mailbox";
  return deliveredAt === null ? undefined : "link";
}

export type AssuranceLevel = keyof typeof assuranceLevels;

export const assuranceLevels = {
  link: WireAssurance.LINK,
  mailbox: WireAssurance.MAILBOX,
  "shared-secret": WireAssurance.SHARED_SECRET,
  combined: WireAssurance.COMBINED,
} as const;
