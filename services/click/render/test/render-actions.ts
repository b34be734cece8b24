import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Rendering, RenderRequestSchema } from "#gen/assent/click/v1/click_pb.ts";
import type { OrgId } from "#platform/ids.ts";
import { orgOf } from "../../test/actions.ts";
import type { FakeDeployment } from "../../test/fake-deployments.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { as, type ClickHarness } from "../../test/harness.ts";

type Options = Omit<MessageInitShape<typeof RenderRequestSchema>, "$typeName" | "subject">;

/** Renderings, with the service that `click` answers when it is needed. */
export function renderActions(click: () => ClickHarness) {
  const render = async (orgId: OrgId, request: MessageInitShape<typeof RenderRequestSchema>): Promise<Rendering> => {
    const { rendering } = await click().client.render(request, as(orgId));
    if (rendering === undefined) throw new Error("no rendering was answered");
    return rendering;
  };
  return {
    render,
    renderDeployment: (deployment: FakeDeployment, options: Options = {}) =>
      render(orgOf(deployment.template), {
        ...options,
        subject: { case: "deploymentKey", value: deployment.key },
      }),
    renderSession: (template: FakeTemplate, sessionId: string, options: Options = {}) =>
      render(orgOf(template), { ...options, subject: { case: "sessionId", value: sessionId } }),
    renderTemplate: (template: FakeTemplate, options: Options & { versionId?: string } = {}) => {
      const { versionId, ...rest } = options;
      const value = { templateIdOrSlug: template.templateId, ...(versionId === undefined ? {} : { versionId }) };
      return render(orgOf(template), { ...rest, subject: { case: "template", value } });
    },
  };
}
