import type { ServiceImpl } from "@connectrpc/connect";
import type { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import type { Agreement } from "../../domain/agreement.ts";
import { noChange } from "../../domain/change-list.ts";
import { leaveAgreement } from "../../domain/leave.ts";
import { isActing, requireRecipient } from "../../domain/recipients.ts";
import { withEvent } from "../../domain/return-url.ts";
import { isOpen } from "../../domain/transitions.ts";
import { changeAgreement } from "../../store/change-agreement.ts";
import type { SignDeps } from "../deps.ts";
import { tabValues } from "./finish-signing.ts";
import { requireRecipientSession } from "./shown-session.ts";
import { callerOfVisit, closeSession } from "./signing-session.ts";
import { signerContext } from "./visitor-context.ts";

export const leaveSigning = (deps: SignDeps): Pick<ServiceImpl<typeof SigningService>, "leaveSigning"> => ({
  async leaveSigning({ sessionToken, values, visitor }) {
    const session = await requireRecipientSession(deps, sessionToken);
    const { agreement, recipient, view } = session;
    const mayGoOn = (current: Agreement): boolean =>
      isOpen(current) && isActing(requireRecipient(current, recipient.id));
    // Whoever only looked leaves nothing behind.
    if (mayGoOn(agreement)) {
      const decision = signerContext(deps, recipient, visitor);
      const command = { values: tabValues(values) };
      const target = { id: agreement.id, isTemplate: false };
      await changeAgreement(deps, callerOfVisit(session, visitor), target, (current) =>
        mayGoOn(current) ? leaveAgreement(current, recipient.id, command, decision) : noChange(current),
      );
    }
    await closeSession(deps, session);
    return { returnUrl: withEvent(view.returnUrl, mayGoOn(agreement) ? "cancel" : "viewing_complete") };
  },
});
