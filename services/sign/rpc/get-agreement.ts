import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import type { Agreement } from "../domain/agreement.ts";
import { createAgreementReader } from "../store/agreement-reader.ts";
import { isTemplate, notFound } from "../store/change-agreement.ts";
import { targetOf } from "./context.ts";
import type { SignDeps } from "./deps.ts";
import { agreementMessage } from "./messages.ts";

export function getAgreement({ pool }: Pick<SignDeps, "pool">): Pick<ServiceImpl<typeof SignService>, "getAgreement"> {
  const read = createAgreementReader(pool);
  return {
    async getAgreement(request, context) {
      const { orgId } = requireCaller(context);
      const target = targetOf(request.target);
      const agreement = await read(orgId, target.id);
      if (agreement === undefined || isTemplate(agreement) !== target.isTemplate) throw notFound(target.isTemplate);
      const shown = request.withoutTabs ? withoutTabs(agreement) : agreement;
      return { agreement: agreementMessage(shown, orgId) };
    },
  };
}

const withoutTabs = (agreement: Agreement): Agreement => ({
  ...agreement,
  recipients: agreement.recipients.map((recipient) => ({ ...recipient, tabs: [] })),
});
