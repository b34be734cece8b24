import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { TemplateConfigurationSchema } from "#gen/assent/templates/v1/templates_pb.ts";
import type { OrgId } from "#platform/ids.ts";
import { effectiveConfiguration } from "../domain/configuration.ts";
import type { PolicyFlags } from "../domain/policy-flags.ts";
import { type Template, templateStatus } from "../domain/template.ts";
import { listPublished } from "../store/version-store.ts";
import { wireTemplateStatus, wireType } from "./wire-enums.ts";

/** The configuration of a template as clients see it. */
export async function describeConfiguration(
  orgId: OrgId,
  em: EntityManager,
  template: Template,
): Promise<MessageInitShape<typeof TemplateConfigurationSchema>> {
  const published = await listPublished(orgId, em, [template.id]);
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
