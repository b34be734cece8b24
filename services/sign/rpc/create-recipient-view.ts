import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { CreateRecipientViewRequest, SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import type { Agreement } from "../domain/agreement.ts";
import type { Change, DecisionContext } from "../domain/change.ts";
import { changeTo } from "../domain/change-list.ts";
import { auditNames } from "../domain/recipients.ts";
import { requireFrameAncestors, requireReturnUrl } from "../domain/return-url.ts";
import { requireViewRecipient } from "../domain/view-recipient.ts";
import { changeAgreement } from "../store/change-agreement.ts";
import { agreementTarget, decisionContext, waitingCaller } from "./context.ts";
import { createLink } from "./create-link.ts";
import type { SignDeps } from "./deps.ts";
import { requireTarget } from "./require-target.ts";

export const createRecipientView = (deps: SignDeps): Pick<ServiceImpl<typeof SignService>, "createRecipientView"> => ({
  async createRecipientView(request, context) {
    const caller = waitingCaller(context);
    const target = agreementTarget(request.agreementId);
    const organization = await deps.organizations.of(caller.orgId);
    await requireTarget(deps, caller.orgId, target);
    const allowed = { isSandbox: organization.sandbox };
    const returnUrl = requireReturnUrl(request.returnUrl, allowed);
    const frameAncestors = requireFrameAncestors(request.frameAncestors, allowed);
    const decision = decisionContext(deps, caller, request.observed);
    const agreement = await changeAgreement(deps, caller, target, (current) => noteLink(current, request, decision));
    const recipientId = requireViewRecipient(agreement, request).id;
    const view = { kind: "recipient", agreementId: agreement.id, recipientId, returnUrl, frameAncestors } as const;
    const { token, expiresAt } = await createLink(deps, caller, view);
    return { token, expiresAt: timestampFromDate(expiresAt) };
  },
});

/** That a link was asked for stands in the trail before there is one. */
function noteLink(agreement: Agreement, request: CreateRecipientViewRequest, { actor }: DecisionContext): Change {
  const recipient = requireViewRecipient(agreement, request);
  const { authenticationMethod } = request;
  const details = { ...auditNames(recipient), ...(authenticationMethod === "" ? {} : { authenticationMethod }) };
  return changeTo(agreement, { audit: [{ action: "recipient.link-made", actor, details }] });
}
