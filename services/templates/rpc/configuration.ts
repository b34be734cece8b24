import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplateConfigurationSchema, TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import { effectiveConfiguration } from "../domain/configuration.ts";
import type { PolicyFlags } from "../domain/policy-flags.ts";
import { type Template, templateStatus } from "../domain/template.ts";
import { inOrganization } from "../store/orm.ts";
import { findTemplate } from "../store/template-store.ts";
import { listPublished } from "../store/version-store.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId } from "./ids.ts";
import { wireTemplateStatus, wireType } from "./wire-enums.ts";

export const getTemplateConfiguration = (
  deps: Pick<TemplatesDeps, "orm">,
): Pick<ServiceImpl<typeof TemplatesService>, "getTemplateConfiguration"> => ({
  async getTemplateConfiguration(request, context) {
    const { orgId } = requireCaller(context);
    const id = parseTemplateId(request.templateId);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const template = await findTemplate(tenant, id);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      return { configuration: await describeConfiguration(tenant, template) };
    });
  },
});

/** The configuration of a template as clients see it. */
export async function describeConfiguration(
  tenant: OrmTenant,
  template: Template,
): Promise<MessageInitShape<typeof TemplateConfigurationSchema>> {
  const published = await listPublished(tenant, [template.id]);
  const status = templateStatus({ archived: template.archivedAt !== null, publishedVersions: published.length });
  const { policy, policyHash, verification } = effectiveConfiguration(template);
  return {
    templateId: template.id,
    type: wireType[template.type],
    status: wireTemplateStatus[status],
    typeConfig: template.typeConfig,
    policyFlags: flagsMessage(template.policyFlags),
    effectivePolicy: flagsMessage(policy),
    policyHash,
    verification: {
      required: verification.required,
      mode: verification.mode,
      methods: verification.methods.map((method) => ({ ...method })),
    },
    updatedAt: timestampFromDate(template.updatedAt),
  };
}

/** A list of the wire must be one that could be changed. */
export const flagsMessage = (flags: PolicyFlags): JsonObject => ({
  ...flags,
  verificationMethods: [...flags.verificationMethods],
});
