import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { deleteAgreement as decideDelete } from "../domain/delete-agreement.ts";
import { changeAgreement } from "../store/change-agreement.ts";
import { decisionContext, targetOf, waitingCaller } from "./context.ts";
import type { SignDeps } from "./deps.ts";

export const deleteAgreement = (deps: SignDeps): Pick<ServiceImpl<typeof SignService>, "deleteAgreement"> => ({
  async deleteAgreement({ target, observed }, context) {
    const caller = waitingCaller(context);
    await deps.organizations.of(caller.orgId);
    const decision = decisionContext(deps, caller, observed);
    await changeAgreement(deps, caller, targetOf(target), (current) => decideDelete(current, decision));
    return {};
  },
});
