import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { putRecipients as decidePut, requirePuttable } from "../domain/edit-recipients.ts";
import { changeAgreement } from "../store/change-agreement.ts";
import { decisionContext, targetOf, waitingCaller } from "./context.ts";
import type { SignDeps } from "./deps.ts";
import { parseRecipients } from "./input.ts";
import { agreementMessage } from "./messages.ts";

export const putRecipients = (deps: SignDeps): Pick<ServiceImpl<typeof SignService>, "putRecipients"> => ({
  async putRecipients({ target, recipients, changeExisting, observed }, context) {
    const caller = waitingCaller(context);
    await deps.organizations.of(caller.orgId);
    const decision = decisionContext(deps, caller, observed);
    let recipientIds: readonly string[] = [];
    const agreement = await changeAgreement(deps, caller, targetOf(target), (current) => {
      // Who has signed, and the state, are looked at before anything else that the request says.
      requirePuttable(current, { recipientIds: recipients.map(({ recipientId }) => recipientId), changeExisting });
      const put = decidePut(current, { recipients: parseRecipients(recipients), changeExisting }, decision);
      recipientIds = put.recipientIds;
      return put.change;
    });
    return { agreement: agreementMessage(agreement, caller.orgId), recipientIds: [...recipientIds] };
  },
});
