import { changeAgreement } from "../agreement/change-agreement.ts";
import { decisionContext, targetOf, waitingCaller } from "../agreement/context.ts";
import { agreementMessage } from "../agreement/messages.ts";
import { changeCustomFields as decideChange } from "../create/custom-fields.ts";
import { parseCustomField, parseRecipients } from "../create/input.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import { putRecipients as decidePut, removeRecipients as decideRemove, requirePuttable } from "./edit-recipients.ts";

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
