import {
  ContentFormat,
  type TemplateConfiguration,
  TemplateStatus,
  TemplateType,
  type TemplateTypeInfo,
  type VerificationRequirements,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { enumName, isoTime } from "./scalars.ts";

/** How a template is configured, as the REST API shows it. */
export const configurationView = (configuration: TemplateConfiguration): Record<string, unknown> => ({
  templateId: configuration.templateId,
  type: enumName(TemplateType, configuration.type),
  status: enumName(TemplateStatus, configuration.status),
  typeConfig: configuration.typeConfig ?? {},
  policyFlags: configuration.policyFlags ?? {},
  effectivePolicy: configuration.effectivePolicy ?? {},
  verification: verificationView(configuration.verification),
  policyHash: configuration.policyHash,
  updatedAt: isoTime(configuration.updatedAt),
});

export const verificationView = (requirements: VerificationRequirements | undefined): Record<string, unknown> => ({
  required: requirements?.required ?? false,
  mode: requirements?.mode ?? "ALL",
  methods: (requirements?.methods ?? []).map(({ method, required, level, validForSeconds, parameters }) => ({
    method,
    required,
    level,
    validForSeconds: validForSeconds ?? null,
    parameters: parameters ?? {},
  })),
});

export const templateTypeView = (info: TemplateTypeInfo): Record<string, unknown> => ({
  type: enumName(TemplateType, info.type),
  name: info.name,
  description: info.description,
  contentFormats: info.contentFormats.map((format) => enumName(ContentFormat, format)?.toLowerCase() ?? null),
  configSchema: info.configSchema ?? {},
  defaults: { typeConfig: info.defaultTypeConfig ?? {}, policyFlags: info.defaultPolicyFlags ?? {} },
  validationRules: info.validationRules,
});
