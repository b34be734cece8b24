import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ContentFormat, TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { newId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { type ClickHarness, newOrg, rows, startClick } from "../../test/harness.ts";
import { renderActions } from "./render-actions.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, acceptTemplate } = clientActions(() => click);
const { render, renderTemplate } = renderActions(() => click);

describe("previewing a template", () => {
  test("shows what is published, by id, by slug and by locale", async () => {
    const template = addTemplate();
    click.templates.addVersion(template, { locale: "de", content: "<p>Deutsch.</p>" });
    expect(await renderTemplate(template)).toMatchObject({ html: "<p>The terms.</p>", revision: 1, isDraft: false });
    expect((await renderTemplate(template, { locale: "de-DE" })).html).toBe("<p>Deutsch.</p>");
    for (const templateIdOrSlug of [template.slug, template.templateId.toUpperCase()]) {
      const subject = { case: "template", value: { templateIdOrSlug } } as const;
      expect((await render(orgOf(template), { subject })).templateId).toBe(template.templateId);
    }
    const named = click.templates.add(orgOf(template), { slug: newId() });
    const subject = { case: "template", value: { templateIdOrSlug: named.slug } } as const;
    expect((await render(orgOf(template), { subject })).templateId).toBe(named.templateId);
  });

  test("comes with a token, so that it can be accepted without a session", async () => {
    const template = addTemplate({ policyFlags: { requireRenderToken: true } });
    const { renderToken, renderHash } = await renderTemplate(template, { userRef: "user-1" });
    expect((await acceptTemplate(template, { renderToken })).receipt).toMatchObject({ renderHash });
    expect((await renderTemplate(template, { userRef: "user-1" })).alreadyAccepted).toBe(true);
  });

  test("an archived template is still to be read", async () => {
    const template = addTemplate({ archived: true });
    expect((await renderTemplate(template)).html).toBe("<p>The terms.</p>");
  });

  test("shows a draft as it stands, marked as one, without a token, and keeps nothing of it", async () => {
    const template = addTemplate();
    const draft = { locale: "fr", published: false, content: "# Titre", format: ContentFormat.MARKDOWN };
    const version = click.templates.addVersion(template, draft);
    const rendering = await renderTemplate(template, { versionId: version.versionId.toUpperCase() });
    expect(rendering).toMatchObject({ isDraft: true, revision: 0, label: "", locale: "fr", renderToken: "" });
    expect(rendering.html).toContain("<h1>Titre</h1>");
    expect(rendering.buttonText).toBe("J’accepte");
    const kept = await rows(click, "select from click.agreement_text where version_id = $1", [version.versionId]);
    expect(kept).toHaveLength(0);
  });

  test("does not show what is not safe to show", async () => {
    const template = addTemplate();
    const hostile = ["<script>alert(1)</script>", "<p onclick='x()'>a</p>", "<img src=x onerror=alert(1)>"];
    for (const content of hostile) {
      const version = click.templates.addVersion(template, { locale: "fr", published: false, content });
      const error = await expectDomainError(
        renderTemplate(template, { versionId: version.versionId }),
        "CLICK_CONTENT_INVALID",
      );
      expect(error.details[0]?.field).toBe("content");
    }
  });

  test("shows the fields of a text that is merged for each person, and gives no token for it", async () => {
    const template = addTemplate({ type: TemplateType.GENERATED, versions: [] });
    click.templates.addVersion(template, { content: "<p>Dear {{fullName}}</p>" });
    expect(await renderTemplate(template)).toMatchObject({ html: "<p>Dear {{fullName}}</p>", renderToken: "" });
  });

  test("unknown templates and versions, those of others, and templates with nothing to show", async () => {
    const template = addTemplate();
    const other = addTemplate();
    const value = { templateIdOrSlug: template.templateId };
    await expectDomainError(render(newOrg(), { subject: { case: "template", value } }), "CLICK_TEMPLATE_NOT_FOUND");
    for (const templateIdOrSlug of ["nothing", newId(), ""]) {
      const asked = render(orgOf(template), { subject: { case: "template", value: { templateIdOrSlug } } });
      await expectDomainError(asked, "CLICK_TEMPLATE_NOT_FOUND");
    }
    for (const versionId of [newId(), "v1", other.versions[0]?.versionId ?? ""]) {
      await expectDomainError(renderTemplate(template, { versionId }), "CLICK_VERSION_NOT_FOUND");
    }
    await expectDomainError(renderTemplate(addTemplate({ versions: [] })), "CLICK_RENDER_NOT_FOUND");
  });
});
