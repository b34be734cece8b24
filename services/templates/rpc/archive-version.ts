import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { insertOutboxEm } from "#platform/outbox/outbox.ts";
import { decideArchive } from "../domain/publication.ts";
import type { Version } from "../domain/version.ts";
import { versionArchived, versionUnpublished } from "../events.ts";
import { isServedByActiveDeployment } from "../store/deployment-store.ts";
import { inOrganization, schema } from "../store/orm.ts";
import { lockTemplate } from "../store/template-store.ts";
import { lockVersion } from "../store/version-store.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId, parseVersionId } from "./ids.ts";
import { describeVersions } from "./views.ts";

export const archiveVersion = (
  deps: Pick<TemplatesDeps, "orm" | "clock" | "newId" | "wakeRelay">,
): Pick<ServiceImpl<typeof TemplatesService>, "archiveVersion"> => ({
  async archiveVersion(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const templateId = parseTemplateId(request.templateId);
    const response = await inOrganization(orgId, deps.orm, async (em) => {
      const template = await lockTemplate(orgId, em, templateId);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const name = { templateId, id: parseVersionId(request.versionId) };
      const version = await lockVersion(orgId, em, name);
      if (version === null) throw new DomainError("CLICK_VERSION_NOT_FOUND");
      if (decideArchive(version)) {
        if (await isServedByActiveDeployment(orgId, em, name)) {
          throw new DomainError("CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS");
        }
        const now = deps.clock.now();
        const events = version.status === "PUBLISHED" ? [versionUnpublished, versionArchived] : [versionArchived];
        const records = events.map((event) => event({ caller, eventId: deps.newId(), now }, version));
        await insertOutboxEm(em, schema, records);
        if (version.status === "PUBLISHED") template.updatedAt = now;
        archive(version, now);
      }
      const [message] = await describeVersions(orgId, em, [version]);
      return { version: message };
    });
    deps.wakeRelay();
    return response;
  },
});

function archive(version: Version, now: Date): void {
  const unpublishedAt = version.status === "PUBLISHED" ? now : version.unpublishedAt;
  const update: Partial<Version> = { status: "ARCHIVED", archivedAt: now, unpublishedAt, updatedAt: now };
  Object.assign(version, update);
}
