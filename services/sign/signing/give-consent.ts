import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { GiveConsentRequest, SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { changeAgreement } from "../agreement/change-agreement.ts";
import { keepConsentText } from "../agreement/file-store.ts";
import { invalid, problem } from "../agreement/problems.ts";
import { requireRecipient } from "../agreement/recipients.ts";
import type { SignDeps } from "../deps.ts";
import { giveConsent as decideConsent } from "./ceremony.ts";
import { requireRecipientSession } from "./ceremony-handlers.ts";
import type { ConsentText } from "./consent-text.ts";
import { servedConsentTexts } from "./served-consent-texts.ts";
import { callerOfVisit, signerContext } from "./signing-session.ts";

export const giveConsent = (deps: SignDeps): Pick<ServiceImpl<typeof SigningService>, "giveConsent"> => ({
  async giveConsent(request) {
    const { sessionToken, visitor } = request;
    const session = await requireRecipientSession(deps, sessionToken);
    const { orgId, agreement, recipient } = session;
    const text = requireServed(await servedConsentTexts(deps, session), request);
    const decision = signerContext(deps, recipient, visitor);
    const target = { id: agreement.id, isTemplate: false };
    const consented = await changeAgreement(
      deps,
      callerOfVisit(session, visitor),
      target,
      (current) => decideConsent(current, recipient.id, text, decision),
      new Map(),
      (client) => keepConsentText(orgId, client, text),
    );
    const { consentedAt } = requireRecipient(consented, recipient.id);
    return { consentedAt: timestampFromDate(consentedAt ?? decision.now) };
  },
});

/** Whatever a browser says it has shown: only what was served to it can have been. Throws VALIDATION_FAILED. */
function requireServed(
  texts: readonly ConsentText[],
  { textSha256, locale }: Pick<GiveConsentRequest, "textSha256" | "locale">,
): ConsentText {
  const text = texts.find(({ sha256 }) => sha256.equals(textSha256));
  if (text === undefined) {
    throw invalid(problem("textSha256", "UNKNOWN_TEXT", "must be that of a text which the ceremony serves"));
  }
  if (text.locale !== locale) throw invalid(problem("locale", "OTHER_LOCALE", "must be the locale of the text"));
  return text;
}
