import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { draftVersion } from "../domain/new-version.ts";
import { requireActive } from "../domain/template.ts";
import { requireRoom } from "../domain/version.ts";
import { inOrganization } from "../store/orm.ts";
import { holdTemplate } from "../store/template-store.ts";
import { addVersion, countOpenVersions, isLocaleTaken } from "../store/version-store.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId } from "./ids.ts";
import { versionMessage } from "./messages.ts";
import { parseNewVersion } from "./version-input.ts";

export const createVersion = (
  deps: Pick<TemplatesDeps, "orm" | "clock" | "newId">,
): Pick<ServiceImpl<typeof TemplatesService>, "createVersion"> => ({
  async createVersion(request, context) {
    const { orgId, clientId } = requireCaller(context);
    const input = parseNewVersion(request);
    const templateId = parseTemplateId(request.templateId);
    const work = inOrganization(orgId, deps.orm, async (em) => {
      const template = await holdTemplate(orgId, em, templateId);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      requireActive(template);
      requireRoom(await countOpenVersions(orgId, em, templateId));
      const by = { id: deps.newId(), templateId, clientId, now: deps.clock.now() };
      return addVersion(orgId, em, draftVersion(input, by));
    });
    const version = await work.catch((error: unknown) => {
      throw isLocaleTaken(error) ? new DomainError("CLICK_VERSION_LOCALE_EXISTS", { cause: error }) : error;
    });
    return { version: versionMessage(version, { revisions: [] }) };
  },
});
