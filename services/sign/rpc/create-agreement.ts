import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { invalid, problem } from "../domain/problems.ts";
import { waitingCaller } from "./context.ts";
import type { SignDeps } from "./deps.ts";
import { findEarlier } from "./find-earlier.ts";
import { parseDefinition } from "./input.ts";
import { keyedRequest } from "./keyed-request.ts";
import { loadCompositions } from "./load-compositions.ts";
import { makeAgreement } from "./make-agreement.ts";
import { agreementMessage } from "./messages.ts";

export const createAgreement = (deps: SignDeps): Pick<ServiceImpl<typeof SignService>, "createAgreement"> => ({
  async createAgreement(request, context) {
    const caller = waitingCaller(context);
    const { isTemplate, send, observed } = request;
    const idempotency = keyedRequest(request);
    const earlier = await findEarlier(deps, caller, idempotency, isTemplate);
    if (earlier !== undefined) return answer(earlier, caller.orgId);
    if (isTemplate && send) throw invalid(problem("send", "NOT_ALLOWED", "must not be set for templates"));
    const compositions = await loadCompositions(deps, caller.orgId, request.compositions);
    const definition = parseDefinition(request.definition);
    const made = { definition, compositions, isTemplate, send, observed, idempotency };
    return answer(await makeAgreement(deps, caller, made), caller.orgId);
  },
});

const answer = ({ agreement, replayed }: Awaited<ReturnType<typeof makeAgreement>>, orgId: string) => ({
  agreement: agreementMessage(agreement, orgId),
  replayed,
});
