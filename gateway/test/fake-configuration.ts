import type { JsonObject } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  ContentFormat,
  type Template,
  type TemplatesService,
  TemplateType,
  type ValidateContentRequest,
} from "#gen/assent/templates/v1/templates_pb.ts";
import type { FakeTemplateStore } from "./fake-deployments.ts";

const now = timestampFromDate(new Date("2026-11-20T17:00:00.123Z"));

/** Types, configurations and content checks, just enough to answer. */
export function createFakeConfiguration({ enter, findTemplate }: FakeTemplateStore) {
  const seen: { flags: (JsonObject | undefined)[]; contents: ValidateContentRequest[] } = { flags: [], contents: [] };
  const configurationOf = (template: Template) => ({
    templateId: template.id,
    type: template.type,
    status: template.status,
    typeConfig: template.typeConfig ?? {},
    policyFlags: template.policyFlags ?? {},
    effectivePolicy: { ...template.policyFlags, singleUseSession: true },
    policyHash: `sha256:${"1".repeat(64)}`,
    verification: {
      required: true,
      mode: "ANY",
      methods: [
        { method: "CUSTOMER_SESSION", required: false, level: 2, validForSeconds: 600 },
        { method: "AGE_STATEMENT", required: false, level: 1, parameters: { minAge: 18 } },
      ],
    },
    updatedAt: now,
  });

  const handlers = {
    listTemplateTypes: (_request, context) => {
      enter(context);
      const types = [TemplateType.STATIC, TemplateType.GENERATED, TemplateType.CONSENT];
      return {
        types: types.map((type) => ({
          type,
          name: "A type",
          description: "What it is for.",
          contentFormats: [ContentFormat.HTML, ContentFormat.TEXT],
          configSchema: { type: "object" },
          defaultTypeConfig: { downloadable: true },
          defaultPolicyFlags: { requireScroll: false },
          validationRules: ["CONTENT_EMPTY"],
        })),
      };
    },
    getTemplateConfiguration: ({ templateId }, context) => ({
      configuration: configurationOf(findTemplate(templateId, enter(context))),
    }),
    applyPolicyFlags: ({ templateId, policyFlags }, context) => {
      const template = findTemplate(templateId, enter(context));
      seen.flags.push(policyFlags);
      return { configuration: configurationOf(template) };
    },
    validateContent: (request, context) => {
      enter(context);
      seen.contents.push(request);
      const finding = { code: "CONTENT_EMPTY", message: "is empty", path: "content", line: 1, column: 1 };
      return {
        report: { valid: request.content !== "", errors: request.content === "" ? [finding] : [], warnings: [] },
      };
    },
  } satisfies Partial<ServiceImpl<typeof TemplatesService>>;
  return { handlers, seen };
}
