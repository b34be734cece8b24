import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { countActiveDeployments } from "../store/deployment-store.ts";
import { inOrganization } from "../store/orm.ts";
import { countVersions, findPublishedPurposes } from "../store/purpose-store.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId } from "./ids.ts";

export const listPublishedPurposes = (
  deps: Pick<TemplatesDeps, "orm">,
): Pick<ServiceImpl<typeof TemplatesService>, "listPublishedPurposes"> => ({
  async listPublishedPurposes(request, context) {
    const { orgId } = requireCaller(context);
    const purposes = [...new Set(request.purposes)].filter((purpose) => keyPattern.test(purpose));
    if (purposes.length === 0) return { purposes: [] };
    const found = await inOrganization(orgId, deps.orm, (tenant) =>
      findPublishedPurposes(tenant, purposes, templatesEach),
    );
    return { purposes: found };
  },
});

/** What cannot be the key of a purpose is not looked for. */
const keyPattern = /^[a-z][a-z0-9_]{0,63}$/;

const templatesEach = 10;

export const countTemplateParts = (
  deps: Pick<TemplatesDeps, "orm">,
): Pick<ServiceImpl<typeof TemplatesService>, "countTemplateParts"> => ({
  async countTemplateParts(request, context) {
    const { orgId } = requireCaller(context);
    const templateId = parseTemplateId(request.templateId);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const versions = await countVersions(tenant, templateId);
      if (versions === undefined) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const active = await countActiveDeployments(tenant, [templateId]);
      return { ...versions, activeDeployments: active.get(templateId) ?? 0 };
    });
  },
});
