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
import { requireShownSession } from "./shown-session.ts";
import { requireSession, type SigningSession } from "./signing-session.ts";

export const getCeremony = (deps: SignDeps): Pick<ServiceImpl<typeof SigningService>, "getCeremony"> => ({
  async getCeremony({ sessionToken, visitor }) {
    const session =
      visitor === undefined
        ? await requireSession(deps, sessionToken)
        : await requireShownSession(deps, sessionToken, visitor);
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
    };
  },
});

const isWaitedFor = ({ agreement, recipient }: SigningSession): boolean =>
  agreement !== undefined && recipient !== undefined && isOpen(agreement) && isActing(recipient);

function seenIn({ agreement, recipient }: SigningSession) {
  if (agreement === undefined) return undefined;
  return recipient === undefined ? seenBySender(agreement) : seenByRecipient(agreement, recipient.id);
}
