import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { seenByRecipient, seenBySender } from "../../domain/ceremony.ts";
import { isActing } from "../../domain/recipients.ts";
import { withEvent } from "../../domain/return-url.ts";
import { isOpen } from "../../domain/transitions.ts";
import type { SignDeps } from "../deps.ts";
import { agreementMessage } from "../messages.ts";
import { wireViewKinds } from "./open-view.ts";
import { servedConsentTexts } from "./served-consent-texts.ts";
import { requireShownSession } from "./shown-session.ts";
import type { SigningSession } from "./signing-session.ts";

export const getCeremony = (deps: SignDeps): Pick<ServiceImpl<typeof SigningService>, "getCeremony"> => ({
  async getCeremony({ sessionToken }) {
    const session = await requireShownSession(deps, sessionToken);
    const { orgId, view, recipient, expiresAt } = session;
    const { name: organizationName } = await deps.organizations.of(orgId);
    const { consentedAt } = recipient ?? { consentedAt: null };
    const seen = seenIn(session);
    return {
      kind: wireViewKinds[view.kind],
      ...(seen === undefined ? {} : { agreement: agreementMessage(seen, orgId) }),
      recipientId: recipient?.id ?? "",
      returnUrl: view.returnUrl,
      frameAncestors: [...view.frameAncestors],
      ...(consentedAt === null ? {} : { consentedAt: timestampFromDate(consentedAt) }),
      sessionExpiresAt: timestampFromDate(expiresAt),
      organizationName,
      canAct: isWaitedFor(session),
      timeoutUrl: withEvent(view.returnUrl, "session_timeout"),
      consentTexts: isWaitedFor(session) && consentedAt === null ? await textsOf(deps, session) : [],
    };
  },
});

/** Whoever only has to look has nothing to do but to load the documents. */
const isWaitedFor = ({ agreement, recipient }: SigningSession): boolean =>
  agreement !== undefined &&
  recipient !== undefined &&
  recipient.role !== "certified-delivery" &&
  isOpen(agreement) &&
  isActing(recipient);

const textsOf = async (deps: SignDeps, session: SigningSession) =>
  (await servedConsentTexts(deps, session)).map(({ content: _, points, ...text }) => ({
    ...text,
    points: [...points],
  }));

function seenIn({ agreement, recipient }: SigningSession) {
  if (agreement === undefined) return undefined;
  return recipient === undefined ? seenBySender(agreement) : seenByRecipient(agreement, recipient.id);
}
