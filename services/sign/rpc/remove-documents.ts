import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { removeDocuments as decideRemove } from "../domain/edit-documents.ts";
import { changeAgreement } from "../store/change-agreement.ts";
import { decisionContext, targetOf, waitingCaller } from "./context.ts";
import type { SignDeps } from "./deps.ts";
import { agreementMessage } from "./messages.ts";

export const removeDocuments = (deps: SignDeps): Pick<ServiceImpl<typeof SignService>, "removeDocuments"> => ({
  async removeDocuments(request, context) {
    const caller = waitingCaller(context);
    await deps.organizations.of(caller.orgId);
    const decision = decisionContext(deps, caller, request.observed);
    const agreement = await changeAgreement(deps, caller, targetOf(request.target), (current) =>
      decideRemove(current, request.documentIds, decision),
    );
    return { agreement: agreementMessage(agreement, caller.orgId) };
  },
});
