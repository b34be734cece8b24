import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { changeCustomFields as decideChange } from "../domain/edit-custom-fields.ts";
import { changeAgreement } from "../store/change-agreement.ts";
import { decisionContext, targetOf, waitingCaller } from "./context.ts";
import type { SignDeps } from "./deps.ts";
import { parseCustomField } from "./input.ts";
import { agreementMessage } from "./messages.ts";

export const changeCustomFields = (deps: SignDeps): Pick<ServiceImpl<typeof SignService>, "changeCustomFields"> => ({
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
