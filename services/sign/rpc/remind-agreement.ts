import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { remindAgreement as decideRemind } from "../domain/remind.ts";
import { changeAgreement } from "../store/change-agreement.ts";
import { agreementTarget, decisionContext, waitingCaller } from "./context.ts";
import type { SignDeps } from "./deps.ts";
import { agreementMessage } from "./messages.ts";

export const remindAgreement = (deps: SignDeps): Pick<ServiceImpl<typeof SignService>, "remindAgreement"> => ({
  async remindAgreement({ agreementId, observed }, context) {
    const caller = waitingCaller(context);
    await deps.organizations.of(caller.orgId);
    const agreement = await changeAgreement(deps, caller, agreementTarget(agreementId), (current) =>
      decideRemind(current, decisionContext(deps, caller, observed)),
    );
    return { agreement: agreementMessage(agreement, caller.orgId) };
  },
});
