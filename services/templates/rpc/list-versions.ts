import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { type Deployment, servesVersion } from "../domain/deployment.ts";
import { invalid, problem } from "../domain/problems.ts";
import type { Version } from "../domain/version.ts";
import { listActiveDeployments } from "../store/deployment-store.ts";
import { inOrganization } from "../store/orm.ts";
import { findTemplate } from "../store/template-store.ts";
import { listVersions as findVersions } from "../store/version-store.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId } from "./ids.ts";
import { describeTemplates, describeVersions } from "./views.ts";

export const listVersions = (
  deps: Pick<TemplatesDeps, "orm">,
): Pick<ServiceImpl<typeof TemplatesService>, "listVersions"> => ({
  async listVersions(request, context) {
    const { orgId } = requireCaller(context);
    const templateId = parseTemplateId(request.templateId);
    const { includeTemplate, includeDeployments, publishedOnly } = request;
    return inOrganization(orgId, deps.orm, async (em) => {
      const template = await findTemplate(orgId, em, templateId);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const versions = await findVersions(orgId, em, { templateIds: [templateId], publishedOnly });
      const [embedded] = includeTemplate
        ? await describeTemplates(orgId, em, [template], { includeVersions: false })
        : [];
      const deployments = includeDeployments ? await listActiveDeployments(orgId, em, templateId) : [];
      requireFit(versions, deployments);
      return { versions: await describeVersions(orgId, em, versions, embedded, deployments) };
    });
  },
});

/** Half of what a gRPC message carries; the rest is for the versions themselves. */
const maxDeploymentBytes = 2_097_152;

/** One deployment is in the answer as often as it serves versions. Throws CLICK_VALIDATION_FAILED. */
function requireFit(versions: readonly Version[], deployments: readonly Deployment[]): void {
  const bytes = deployments.map((deployment) => {
    const served = versions.filter((version) => servesVersion(deployment, version));
    return served.length * Buffer.byteLength(JSON.stringify(deployment));
  });
  if (bytes.reduce((sum, size) => sum + size, 0) <= maxDeploymentBytes) return;
  const message = "would make the answer too large: read the versions one by one";
  throw invalid(problem("includeDeployments", "TOO_LARGE", message));
}
