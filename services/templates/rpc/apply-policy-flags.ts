import { isDeepStrictEqual } from "node:util";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { parsePolicyFlags, resolvePolicyFlags } from "../domain/policy.ts";
import { requireActive } from "../domain/template.ts";
import { inOrganization } from "../store/orm.ts";
import { lockTemplate } from "../store/template-store.ts";
import { describeConfiguration } from "./configuration.ts";
import { renewSnapshots } from "./deployment-rules.ts";
import { parseTemplateId, type TemplatesDeps, type TemplatesRpcs } from "./deps.ts";

export const applyPolicyFlags = (deps: Pick<TemplatesDeps, "orm" | "clock">): TemplatesRpcs<"applyPolicyFlags"> => ({
  async applyPolicyFlags(request, context) {
    const { orgId } = requireCaller(context);
    const stated = parsePolicyFlags(request.policyFlags ?? {});
    const id = parseTemplateId(request.templateId);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const template = await lockTemplate(tenant, id);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      requireActive(template);
      const { type, typeConfig, policyFlags: base } = template;
      const policyFlags = resolvePolicyFlags({ type, typeConfig, stated, base });
      if (!isDeepStrictEqual(policyFlags, base)) {
        const now = deps.clock.now();
        Object.assign(template, { policyFlags, updatedAt: now });
        await renewSnapshots(tenant, template, now);
      }
      return { configuration: await describeConfiguration(tenant, template) };
    });
  },
});
