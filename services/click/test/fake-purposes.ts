import type { ServiceImpl } from "@connectrpc/connect";
import { type TemplatesService, TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import type { FakeTemplate } from "./fake-templates.ts";

/** Finds the templates that ask for purposes, the newest first. */
export const listPublishedPurposes = (
  templates: () => readonly FakeTemplate[],
): Pick<ServiceImpl<typeof TemplatesService>, "listPublishedPurposes"> => ({
  listPublishedPurposes({ purposes }, context) {
    const { orgId } = requireCaller(context);
    const found = templates()
      .filter((one) => one.organizationId === orgId && one.type === TemplateType.CONSENT && !one.archived)
      .filter((one) => one.versions.some((version) => version.published))
      .toReversed()
      .flatMap(({ templateId, typeConfig }) =>
        (typeConfig.purposes as { key: string }[]).map(({ key }) => ({ purpose: key, templateId })),
      );
    return { purposes: found.filter(({ purpose }) => purposes.includes(purpose)) };
  },
});
