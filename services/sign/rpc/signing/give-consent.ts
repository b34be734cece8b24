import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { giveConsent as decideConsent } from "../../domain/consent.ts";
import { invalid, problem } from "../../domain/problems.ts";
import { requireRecipient } from "../../domain/recipients.ts";
import { changeAgreement } from "../../store/change-agreement.ts";
import type { SignDeps } from "../deps.ts";
import { requireRecipientSession } from "./shown-session.ts";
import { callerOfVisit } from "./signing-session.ts";
import { signerContext } from "./visitor-context.ts";

export const giveConsent = (deps: SignDeps): Pick<ServiceImpl<typeof SigningService>, "giveConsent"> => ({
  async giveConsent({ sessionToken, textSha256, locale, visitor }) {
    if (textSha256.length !== 32) throw invalid(problem("textSha256", "INVALID_HASH", "must be a SHA-256"));
    const session = await requireRecipientSession(deps, sessionToken, visitor);
    const { agreement, recipient } = session;
    const decision = signerContext(deps, recipient, visitor);
    const target = { id: agreement.id, isTemplate: false };
    const consented = await changeAgreement(deps, callerOfVisit(session, visitor), target, (current) =>
      decideConsent(current, recipient.id, { textSha256, locale }, decision),
    );
    const { consentedAt } = requireRecipient(consented, recipient.id);
    return { consentedAt: timestampFromDate(consentedAt ?? decision.now) };
  },
});
