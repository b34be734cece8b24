import type { ServiceImpl } from "@connectrpc/connect";
import type { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { declineAgreement } from "../../domain/decline.ts";
import { withEvent } from "../../domain/return-url.ts";
import { changeAgreement } from "../../store/change-agreement.ts";
import type { SignDeps } from "../deps.ts";
import { requireRecipientSession } from "./shown-session.ts";
import { callerOfVisit, closeSession } from "./signing-session.ts";
import { signerContext } from "./visitor-context.ts";

export const declineSigning = (deps: SignDeps): Pick<ServiceImpl<typeof SigningService>, "declineSigning"> => ({
  async declineSigning({ sessionToken, reason, visitor }) {
    const session = await requireRecipientSession(deps, sessionToken);
    const { agreement, recipient, view } = session;
    const decision = signerContext(deps, recipient, visitor);
    const target = { id: agreement.id, isTemplate: false };
    await changeAgreement(deps, callerOfVisit(session, visitor), target, (current) =>
      declineAgreement(current, recipient.id, { reason }, decision),
    );
    await closeSession(deps, session);
    return { returnUrl: withEvent(view.returnUrl, "decline") };
  },
});
