import type { ServiceImpl } from "@connectrpc/connect";
import type { SendAgreementRequest, SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import type { Caller } from "#platform/caller.ts";
import type { CallerContext, KeyedAgreement } from "../agreement/change-agreement.ts";
import { decisionContext, findEarlier, keyedRequest, waitingCaller } from "../agreement/context.ts";
import { agreementMessage } from "../agreement/messages.ts";
import { parseDefinition } from "../create/input.ts";
import type { SignDeps } from "../deps.ts";
import { sendDraft } from "./send-draft.ts";

export const sendAgreement = (deps: SignDeps): Pick<ServiceImpl<typeof SignService>, "sendAgreement"> => ({
  async sendAgreement(request, context) {
    const caller = waitingCaller(context);
    const earlier = await findEarlier(deps, caller, keyedRequest(request), false);
    const { agreement, replayed } = earlier ?? (await send(deps, caller, request));
    return { agreement: agreementMessage(agreement, caller.orgId), replayed };
  },
});

async function send(
  deps: SignDeps,
  caller: Caller & CallerContext,
  request: SendAgreementRequest,
): Promise<KeyedAgreement> {
  const { agreementId, changes, observed } = request;
  await deps.organizations.of(caller.orgId);
  const command = {
    agreementId,
    ...(changes === undefined ? {} : { changes: () => parseDefinition(changes) }),
    idempotency: keyedRequest(request),
  };
  return sendDraft(deps, caller, command, decisionContext(deps, caller, observed));
}
