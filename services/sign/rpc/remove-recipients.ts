import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { removeRecipients as decideRemove } from "../domain/edit-recipients.ts";
import { changeAgreement } from "../store/change-agreement.ts";
import { decisionContext, targetOf, waitingCaller } from "./context.ts";
import type { SignDeps } from "./deps.ts";
import { agreementMessage } from "./messages.ts";

export const removeRecipients = (deps: SignDeps): Pick<ServiceImpl<typeof SignService>, "removeRecipients"> => ({
  async removeRecipients({ target, recipientIds, observed }, context) {
    const caller = waitingCaller(context);
    await deps.organizations.of(caller.orgId);
    const decision = decisionContext(deps, caller, observed);
    const agreement = await changeAgreement(deps, caller, targetOf(target), (current) =>
      decideRemove(current, recipientIds, decision),
    );
    return { agreement: agreementMessage(agreement, caller.orgId) };
  },
});
