import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { requireActive } from "../domain/template.ts";
import { changeVersion } from "../domain/version-changes.ts";
import { inOrganization } from "../store/orm.ts";
import { holdTemplate } from "../store/template-store.ts";
import { isLocaleTaken, lockVersion } from "../store/version-store.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId, parseVersionId } from "./ids.ts";
import { parseTime, parseVersionChanges } from "./version-input.ts";
import { describeVersions } from "./views.ts";

export const updateVersion = (
  deps: Pick<TemplatesDeps, "orm" | "clock">,
): Pick<ServiceImpl<typeof TemplatesService>, "updateVersion"> => ({
  async updateVersion(request, context) {
    const { orgId } = requireCaller(context);
    const changes = parseVersionChanges(request);
    const ifUpdatedAt = parseTime("ifUpdatedAt", request.ifUpdatedAt);
    const templateId = parseTemplateId(request.templateId);
    const work = inOrganization(orgId, deps.orm, async (em) => {
      const template = await holdTemplate(orgId, em, templateId);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const version = await lockVersion(orgId, em, { templateId, id: parseVersionId(request.versionId) });
      if (version === null) throw new DomainError("CLICK_VERSION_NOT_FOUND");
      requireActive(template);
      const update = changeVersion(version, changes);
      if (ifUpdatedAt && ifUpdatedAt.getTime() !== version.updatedAt.getTime()) {
        throw new DomainError("CLICK_VERSION_CONFLICT");
      }
      if (Object.keys(update).length > 0) Object.assign(version, update, { updatedAt: deps.clock.now() });
      const [message] = await describeVersions(orgId, em, [version]);
      return { version: message };
    });
    return work.catch((error: unknown) => {
      throw isLocaleTaken(error) ? new DomainError("CLICK_VERSION_LOCALE_EXISTS", { cause: error }) : error;
    });
  },
});
