import { changeAgreement } from "../agreement/change-agreement.ts";
import { decisionContext, targetOf, waitingCaller } from "../agreement/context.ts";
import { agreementMessage } from "../agreement/messages.ts";
import { changeCustomFields as decideChange } from "../create/custom-fields.ts";
import { parseCustomField, parseRecipients } from "../create/input.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import {
  putRecipients as decidePut,
  removeRecipients as decideRemove,
  requireChangeableRecipients,
  requirePuttable,
} from "./edit-recipients.ts";
import { changeTabs as decideTabs } from "./edit-tabs.ts";
import { parseTabs } from "./tabs.ts";

export const putRecipients = (deps: SignDeps): SignRpcs<"putRecipients"> => ({
  async putRecipients({ target, recipients, changeExisting, observed }, context) {
    const caller = waitingCaller(context);
    await deps.organizations.of(caller.orgId);
    const decision = decisionContext(deps, caller, observed);
    let recipientIds: readonly string[] = [];
    const agreement = await changeAgreement(deps, caller, targetOf(target), (current) => {
      // Signed recipients and the status are checked before the rest of the request, so that their errors come
      // first.
      requirePuttable(current, { recipientIds: recipients.map(({ recipientId }) => recipientId), changeExisting });
      const put = decidePut(current, { recipients: parseRecipients(recipients), changeExisting }, decision);
      recipientIds = put.recipientIds;
      return put.change;
    });
    return { agreement: agreementMessage(agreement, caller.orgId), recipientIds: [...recipientIds] };
  },
});

export const removeRecipients = (deps: SignDeps): SignRpcs<"removeRecipients"> => ({
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

export const changeCustomFields = (deps: SignDeps): SignRpcs<"changeCustomFields"> => ({
  async changeCustomFields({ target, set, removeFieldIds, observed }, context) {
    const caller = waitingCaller(context);
    await deps.organizations.of(caller.orgId);
    const decision = decisionContext(deps, caller, observed);
    const command = { set: set.map(parseCustomField), removeFieldIds };
    const agreement = await changeAgreement(deps, caller, targetOf(target), (current) =>
      decideChange(current, command, decision),
    );
    return { agreement: agreementMessage(agreement, caller.orgId) };
  },
});

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
      const changed = decideTabs(current, command, decision);
      tabIds = changed.tabIds;
      return changed.change;
    });
    return { agreement: agreementMessage(agreement, caller.orgId), tabIds: [...tabIds] };
  },
});
