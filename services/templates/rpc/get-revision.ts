import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { inOrganization } from "../store/orm.ts";
import { findRevision, readContent } from "../store/revision-store.ts";
import { findTemplate } from "../store/template-store.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId, parseVersionId } from "./ids.ts";
import { textsMessage } from "./messages.ts";
import { wireFormat } from "./wire-enums.ts";

export const getRevision = (
  deps: Pick<TemplatesDeps, "orm">,
): Pick<ServiceImpl<typeof TemplatesService>, "getRevision"> => ({
  async getRevision(request, context) {
    const { orgId } = requireCaller(context);
    const templateId = request.templateId === "" ? undefined : parseTemplateId(request.templateId);
    const name = { versionId: parseVersionId(request.versionId), revision: request.revision };
    // Beyond what the column holds, and so beyond every revision.
    if (name.revision > maxRevision) throw new DomainError("CLICK_VERSION_NOT_FOUND");
    return inOrganization(orgId, deps.orm, async (tenant) => {
      if (templateId !== undefined && (await findTemplate(tenant, templateId)) === null) {
        throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      }
      const revision = await findRevision(tenant, name);
      const belongs = templateId === undefined || revision?.templateId === templateId;
      if (revision === null || !belongs) throw new DomainError("CLICK_VERSION_NOT_FOUND");
      return {
        templateId: revision.templateId,
        versionId: revision.versionId,
        revision: revision.revision,
        label: revision.label,
        locale: revision.locale,
        title: revision.title ?? undefined,
        content: await readContent(tenant, revision.contentHash),
        format: wireFormat[revision.format],
        contentHash: revision.contentHash,
        texts: textsMessage(revision.texts),
        publishedAt: timestampFromDate(revision.publishedAt),
        publishedBy: revision.publishedBy,
      };
    });
  },
});

const maxRevision = 2 ** 31 - 1;
