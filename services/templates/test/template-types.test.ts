import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ContentFormat, TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { defaultPolicyFlags } from "../domain/policy-flags.ts";
import { createTemplate, startTemplates, type TemplatesHarness } from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

describe("listTemplateTypes", () => {
  test("describes the three types in their order", async () => {
    const { types } = await harness.organization().listTemplateTypes({});
    expect(types.map(({ type }) => type)).toEqual([TemplateType.STATIC, TemplateType.GENERATED, TemplateType.CONSENT]);
    for (const info of types) {
      expect(info.name).not.toBe("");
      expect(info.description).not.toBe("");
      // Values cannot be filled into a PDF.
      const pdf = info.type === TemplateType.GENERATED ? [] : [ContentFormat.PDF];
      expect(info.contentFormats).toEqual([ContentFormat.HTML, ContentFormat.MARKDOWN, ContentFormat.TEXT, ...pdf]);
      expect(info.configSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(info.validationRules).toContain("CONTENT_EMPTY");
      expect(new Set(info.validationRules).size).toBe(info.validationRules.length);
    }
    expect(types.map(({ defaultPolicyFlags }) => defaultPolicyFlags)).toEqual([
      defaultPolicyFlags("STATIC"),
      defaultPolicyFlags("GENERATED"),
      defaultPolicyFlags("CONSENT"),
    ]);
    expect(types[2]?.configSchema).toMatchObject({ properties: { purposes: { maxItems: 20 } } });
    expect(types[2]?.validationRules).toContain("CONSENT_PURPOSES_MISSING");
    expect(types[0]?.validationRules).not.toContain("CONSENT_PURPOSES_MISSING");
    expect(types[1]?.validationRules).toContain("CONTENT_PLACEHOLDER_UNKNOWN");
  });

  test("the defaults are what a template without configuration gets", async () => {
    const organization = harness.organization();
    const { types } = await organization.listTemplateTypes({});
    for (const { type, defaultTypeConfig, defaultPolicyFlags } of types) {
      const template = await createTemplate(organization, { type });
      expect(template.typeConfig).toEqual(defaultTypeConfig);
      expect(template.policyFlags).toEqual(defaultPolicyFlags);
    }
  });
});
