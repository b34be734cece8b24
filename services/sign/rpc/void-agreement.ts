import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { voidAgreement as decideVoid } from "../domain/void.ts";
import { changeAgreement } from "../store/change-agreement.ts";
import { agreementTarget, decisionContext, waitingCaller } from "./context.ts";
import type { SignDeps } from "./deps.ts";
import { agreementMessage } from "./messages.ts";

export const voidAgreement = (deps: SignDeps): Pick<ServiceImpl<typeof SignService>, "voidAgreement"> => ({
  async voidAgreement({ agreementId, reason, observed }, context) {
    const caller = waitingCaller(context);
    await deps.organizations.of(caller.orgId);
    const agreement = await changeAgreement(deps, caller, agreementTarget(agreementId), (current) =>
      decideVoid(current, { reason }, decisionContext(deps, caller, observed)),
    );
    return { agreement: agreementMessage(agreement, caller.orgId) };
  },
});
