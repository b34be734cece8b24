import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ContentReport, TemplateType, VersionStatus } from "#gen/assent/templates/v1/templates_pb.ts";
import {
  createTemplate,
  createVersion,
  type Organization,
  present,
  publish,
  startTemplates,
  type TemplatesHarness,
  unpublish,
  updateTemplate,
} from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

const codesOf = (report: ContentReport | undefined): string[] => present(report).errors.map((finding) => finding.code);

describe("validation of a version", () => {
  const draft = async (organization: Organization, content: string, type: TemplateType = TemplateType.STATIC) => {
    const { id } = await createTemplate(organization, { type });
    return createVersion(organization, id, { content });
  };

  test("is in every answer with a version", async () => {
    const organization = harness.organization();
    const { id: versionId, templateId, validation } = await draft(organization, "a<script></script>");
    const broken = { valid: false, errors: [{ code: "CONTENT_ELEMENT_FORBIDDEN" }], warnings: [] };
    expect(validation).toMatchObject(broken);
    const name = { templateId, versionId };
    expect((await organization.getVersion(name)).version?.validation).toMatchObject(broken);
    expect((await organization.listVersions(name)).versions[0]?.validation).toMatchObject(broken);
    const { template } = await organization.getTemplate({ templateId, includeVersions: true });
    expect(template?.versions[0]?.validation).toMatchObject(broken);
    const { templates } = await organization.listTemplates({ includeVersions: true });
    expect(templates[0]?.versions[0]?.validation).toMatchObject(broken);
    const { version } = await organization.updateVersion({
      ...name,
      changes: { content: "a" },
      updateMask: { paths: ["content"] },
    });
    expect(version?.validation).toMatchObject({ valid: true, errors: [] });
    expect((await organization.archiveVersion(name)).version?.validation).toMatchObject({ valid: true });
  });

  test("says what publishing would, and follows the template", async () => {
    const organization = harness.organization();
    const { id: versionId, templateId, validation } = await draft(organization, "{{price}}", TemplateType.GENERATED);
    expect(codesOf(validation)).toEqual(["CONTENT_PLACEHOLDER_UNKNOWN"]);
    await updateTemplate(organization, templateId, ["type_config"], { typeConfig: { variables: [{ key: "price" }] } });
    const { version } = await organization.getVersion({ templateId, versionId });
    expect(version?.validation).toMatchObject({ valid: true, errors: [] });
    const published = await publish(organization, present(version));
    expect(published).toMatchObject({ status: VersionStatus.PUBLISHED, validation: { valid: true } });
    expect((await unpublish(organization, published)).validation).toMatchObject({ valid: true });
  });

  test("knows the words around the text", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const texts = { consentText: "By clicking OK I agree", buttonText: "Accept" };
    const { validation } = await createVersion(organization, id, { texts });
    expect(validation).toMatchObject({ valid: true, warnings: [{ code: "NOTICE_BUTTON_MISMATCH" }] });
  });

  test("has fewer findings in a long list, so that it fits into one message", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const first = await createVersion(organization, id, { content: "<x>".repeat(500) });
    expect(first.validation?.errors).toHaveLength(101);
    await harness.superuser.query(
      `insert into templates.version select (jsonb_populate_record(v, jsonb_build_object(
         'id', gen_random_uuid(), 'locale', 'en-x-' || n))).* from templates.version v, generate_series(2, 100) n
       where id = $1`,
      [first.id],
    );
    const { versions } = await organization.listVersions({ templateId: id });
    expect(versions).toHaveLength(100);
    for (const { validation } of versions) {
      expect(codesOf(validation)).toEqual([...Array(10).fill("CONTENT_ELEMENT_FORBIDDEN"), "CONTENT_TOO_MANY_ERRORS"]);
    }
  });
});
