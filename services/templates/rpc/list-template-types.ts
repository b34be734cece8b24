import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { contentRuleCodes } from "../domain/content-rules/codes.ts";
import { templateTypes } from "../domain/template-types.ts";
import { flagsMessage } from "./configuration-messages.ts";
import { wireFormat, wireType } from "./wire-enums.ts";

export const listTemplateTypes = (): Pick<ServiceImpl<typeof TemplatesService>, "listTemplateTypes"> => ({
  async listTemplateTypes() {
    return {
      types: templateTypes.map((info) => ({
        ...info,
        type: wireType[info.type],
        contentFormats: [wireFormat.HTML, wireFormat.MARKDOWN, wireFormat.TEXT],
        defaultPolicyFlags: flagsMessage(info.defaultPolicyFlags),
        validationRules: contentRuleCodes(info.type),
      })),
    };
  },
});
