import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import type { ErrorCode, FieldProblem } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { clientActions } from "../../test/actions.ts";
import { type ClickHarness, startClick } from "../../test/harness.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, acceptTemplate } = clientActions(() => click);

async function expectRefusal(promise: Promise<unknown>, code: ErrorCode): Promise<readonly FieldProblem[]> {
  return (await expectDomainError(promise, code)).details;
}

describe("what an acceptance is about", () => {
  test("an unknown template, another organization's template and a malformed id", async () => {
    const template = addTemplate();
    await expectRefusal(acceptTemplate(template, { templateId: newId() }), "CLICK_TEMPLATE_NOT_FOUND");
    await expectRefusal(acceptTemplate(template, { templateId: addTemplate().templateId }), "CLICK_TEMPLATE_NOT_FOUND");
    await expectRefusal(acceptTemplate(template, { templateId: "terms" }), "CLICK_VALIDATION_FAILED");
  });

  test("a slug names a template as well, and must agree with the id", async () => {
    const template = addTemplate();
    const bySlug = { templateId: undefined, templateSlug: template.slug };
    expect((await acceptTemplate(template, bySlug)).receipt.templateId).toBe(template.templateId);
    expect((await acceptTemplate(template, { templateSlug: template.slug })).receipt.templateId).toBe(
      template.templateId,
    );
    await expectRefusal(acceptTemplate(template, { templateSlug: "another" }), "CLICK_VALIDATION_FAILED");
    await expectRefusal(acceptTemplate(template, { ...bySlug, templateSlug: "unknown" }), "CLICK_TEMPLATE_NOT_FOUND");
  });

  test("an id in upper case is the same id", async () => {
    const template = addTemplate();
    const versionId = template.versions[0]?.versionId.toUpperCase();
    const { receipt } = await acceptTemplate(template, { templateId: template.templateId.toUpperCase(), versionId });
    expect(receipt.templateId).toBe(template.templateId);
    expect(receipt.versionId).toBe(template.versions[0]?.versionId);
  });

  test("an archived template and one without a published version", async () => {
    await expectRefusal(acceptTemplate(addTemplate({ archived: true })), "CLICK_TEMPLATE_ARCHIVED");
    await expectRefusal(acceptTemplate(addTemplate({ versions: [] })), "CLICK_VERSION_NOT_PUBLISHED");
  });

  test("a version that is unknown, not published, or named and published", async () => {
    const template = addTemplate();
    const draft = click.templates.addVersion(template, { locale: "de", published: false });
    const french = click.templates.addVersion(template, { locale: "fr", content: "<p>Les conditions.</p>" });
    await expectRefusal(acceptTemplate(template, { versionId: newId() }), "CLICK_VERSION_NOT_FOUND");
    await expectRefusal(acceptTemplate(template, { versionId: draft.versionId }), "CLICK_VERSION_NOT_PUBLISHED");
    expect((await acceptTemplate(template, { versionId: french.versionId })).receipt.locale).toBe("fr");
  });

  test("a locale falls back to its language, then to the default", async () => {
    const template = addTemplate();
    click.templates.addVersion(template, { locale: "de", content: "<p>Die Bedingungen.</p>" });
    expect((await acceptTemplate(template, { locale: "de-AT" })).receipt.locale).toBe("de");
    expect((await acceptTemplate(template, { locale: "it" })).receipt.locale).toBe("en");
  });

  test("a content hash that is not the current one", async () => {
    const template = addTemplate();
    const contentHash = sha256Label("<p>The terms.</p>");
    expect((await acceptTemplate(template, { contentHash })).receipt.contentHash).toBe(contentHash);
    click.templates.revise(template, "<p>New terms.</p>");
    await expectRefusal(acceptTemplate(template, { contentHash }), "CLICK_VERSION_SUPERSEDED");
    expect((await acceptTemplate(template)).receipt).toMatchObject({ revision: 2, versionLabel: "2.0" });
  });

  test("a template that changed a moment ago is never seen as it was", async () => {
    const template = addTemplate();
    for (let round = 0; round < 10; round += 1) {
      template.archived = round % 2 === 0;
      const outcome = acceptTemplate(template);
      if (template.archived) await expectRefusal(outcome, "CLICK_TEMPLATE_ARCHIVED");
      else await outcome;
    }
  });

  test("a generated text that needs values is not accepted without them", async () => {
    const variables = (required: boolean) => ({
      type: TemplateType.GENERATED,
      typeConfig: { variables: [{ key: "fullName", required }] },
    });
    await expectRefusal(acceptTemplate(addTemplate(variables(true))), "CLICK_DATA_INVALID");
    expect((await acceptTemplate(addTemplate(variables(false)))).receipt.templateType).toBe("GENERATED");
  });
});
