import { changeAgreement } from "../agreement/change-agreement.ts";
import { decisionContext, targetOf, waitingCaller } from "../agreement/context.ts";
import { agreementMessage } from "../agreement/messages.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import { requireChangeableRecipients } from "./edit-recipients.ts";
import { changeTabs as decideChange } from "./edit-tabs.ts";
import { parseTabs } from "./tabs.ts";

export const changeTabs = (deps: SignDeps): SignRpcs<"changeTabs"> => ({
  async changeTabs({ target, recipientId, add, change, removeTabIds, observed }, context) {
    const caller = waitingCaller(context);
    await deps.organizations.of(caller.orgId);
    const decision = decisionContext(deps, caller, observed);
    let tabIds: readonly string[] = [];
    const agreement = await changeAgreement(deps, caller, targetOf(target), (current) => {
      // The recipient and the status are checked before the rest of the request, so that their errors come
      // first.
      requireChangeableRecipients(current, [recipientId]);
      const command = {
        recipientId,
        add: parseTabs(add, "tabs"),
        change: parseTabs(change, "tabs"),
        removeTabIds: removeTabIds.map((id) => id.toLowerCase()),
      };
      const changed = decideChange(current, command, decision);
      tabIds = changed.tabIds;
      return changed.change;
    });
    return { agreement: agreementMessage(agreement, caller.orgId), tabIds: [...tabIds] };
  },
});
