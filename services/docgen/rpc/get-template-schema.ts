import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { requireSchema } from "../domain/template-error.ts";
import { inOrganization } from "../store/orm.ts";
import { findTemplate, findVersion } from "../store/template-store.ts";
import type { DocgenDeps } from "./deps.ts";
import { canonicalId } from "./ids.ts";

export const getTemplateSchema = (
  deps: Pick<DocgenDeps, "orm" | "checker">,
): Pick<ServiceImpl<typeof DocgenService>, "getTemplateSchema"> => ({
  async getTemplateSchema(request, context) {
    const { orgId } = requireCaller(context);
    const templateId = canonicalId(request.templateId);
    const { template, published } = await inOrganization(orgId, deps.orm, async (em) => {
      const template = await findTemplate(orgId, em, templateId);
      if (template === null) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
      const version = request.version || template.publishedVersion;
      if (version === 0) return { template, published: null };
      // Also the numbers that no column could hold.
      if (version > template.publishedVersion) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
      return { template, published: await findVersion(orgId, em, { templateId, version }) };
    });
    if (published !== null) return { schemaJson: JSON.stringify(published.dataSchema), version: published.version };
    const { format, content } = template;
    const schema = requireSchema(await deps.checker.check({ format, content }));
    return { schemaJson: JSON.stringify(schema), version: 0 };
  },
});
