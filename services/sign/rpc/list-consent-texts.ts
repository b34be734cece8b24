import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { listConsentTexts as readTexts } from "../store/consent-text-store.ts";
import { agreementTarget } from "./context.ts";
import type { SignDeps } from "./deps.ts";
import { withTarget } from "./require-target.ts";

export const listConsentTexts = (
  deps: Pick<SignDeps, "pool">,
): Pick<ServiceImpl<typeof SignService>, "listConsentTexts"> => ({
  async listConsentTexts({ agreementId }, context) {
    const { orgId } = requireCaller(context);
    const texts = await withTarget(deps, orgId, agreementTarget(agreementId), (agreement, client) =>
      readTexts(orgId, client, agreement.id),
    );
    return { texts: [...texts] };
  },
});
