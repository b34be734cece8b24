import type { DescMessage, JsonObject, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { FieldMask } from "@bufbuild/protobuf/wkt";
import { type Masked, type RecordOf, type Records, recordsOf } from "#api/records.ts";
import { TemplateConfigurationSchema, TemplateStatus, TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import { effectiveConfiguration } from "../domain/configuration.ts";
import type { PolicyFlags } from "../domain/policy-flags.ts";
import { invalid, problem, refuse } from "../domain/problems.ts";
import { type Template, templateStatus } from "../domain/template.ts";
import { inOrganization } from "../store/orm.ts";
import { findTemplate } from "../store/template-store.ts";
import { listPublished } from "../store/version-store.ts";
import { parseTemplateId, type TemplatesDeps, type TemplatesRpcs } from "./deps.ts";

export const getTemplateConfiguration = (
  deps: Pick<TemplatesDeps, "orm">,
): TemplatesRpcs<"getTemplateConfiguration"> => ({
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
  return configurations.write({
    ...{ templateId: template.id, type: template.type, status, typeConfig: template.typeConfig },
    policyFlags: flagsMessage(template.policyFlags),
    effectivePolicy: flagsMessage(policy),
    ...{ policyHash, updatedAt: template.updatedAt },
    verification: {
      required: verification.required,
      mode: verification.mode,
      methods: verification.methods.map((method) => ({ ...method })),
    },
  });
}

const configurations = recordsOf(TemplateConfigurationSchema, { type: TemplateType, status: TemplateStatus });

/** A list of the wire must be one that could be changed. */
export const flagsMessage = (flags: PolicyFlags): JsonObject => ({
  ...flags,
  verificationMethods: [...flags.verificationMethods],
});

interface MaskedRequest<D extends DescMessage> {
  /** What the request calls the message. */
  readonly field: string;
  readonly message: MessageShape<D> | undefined;
  readonly updateMask?: FieldMask | undefined;
  /** The member whose members may be named one by one. */
  readonly divisible?: keyof MessageShape<D> & string;
}

/** Reads what a mask names. Throws CLICK_VALIDATION_FAILED when there is no message, and for what cannot be changed. */
export function readMasked<D extends DescMessage, E>(
  records: Records<D, E>,
  { field, message, updateMask, divisible = "" as never }: MaskedRequest<D>,
): Masked<RecordOf<MessageShape<D>, E>> {
  if (message === undefined) throw invalid(problem(field, "REQUIRED", "must be given"));
  const paths = updateMask?.paths ?? [];
  const masked = records.masked(message, paths);
  const refused = paths.filter((path) => masked.unknown.includes(path) || isPart(path, divisible));
  refuse(refused.map((path) => problem("updateMask", "UNKNOWN_FIELD", `names '${path}', which cannot be changed`)));
  return masked;
}

const isPart = (path: string, divisible: string): boolean => path.includes(".") && !path.startsWith(`${divisible}.`);

/** What is made of a member that is there. */
export const when = <Value, Made>(value: Value | undefined, make: (value: Value) => Made): Made | undefined =>
  value === undefined ? undefined : make(value);
