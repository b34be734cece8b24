import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ContentFormat, TemplateStatus, TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { usedOf } from "./document-harness.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { createFakeRenderer } from "./fake-renderer.ts";
import { createFakeTemplates, type FakeTemplates, type FakeText } from "./fake-templates.ts";
import { type DocgenHarness, problemFields, startDocgen } from "./harness.ts";

const renderer = createFakeRenderer();
const templates = createFakeTemplates();
let harness: DocgenHarness;
beforeAll(async () => {
  harness = await startDocgen({ renderer, templates: templates.transport, checker: createFakeChecker() });
  await harness.startWorkers();
});
afterAll(() => harness.stop());

const text = (content: string, format: ContentFormat = ContentFormat.HTML, locale = "en"): FakeText => ({
  versionId: randomUUID(),
  locale,
  format,
  content,
});

type Template = Parameters<FakeTemplates["add"]>[1];

/** An organization with this template of the templates service, and how to make a document of it. */
function createReader(template: Omit<Template, "id">) {
  const organization = harness.organization();
  const id = randomUUID();
  templates.add(organization.orgId, { id, ...template });
  const render = async (ref: { versionId?: string; locale?: string } = {}, data: object = {}) => {
    const source = { templateRef: { templateId: id, ...ref }, dataJson: JSON.stringify(data) };
    const { document } = await organization.createDocument({ source, waitMs: 20_000 });
    return { document, job: renderer.jobs.at(-1) };
  };
  return { organization, id, render };
}

describe("a text of the templates service", () => {
  test("is rendered in the default locale of its template, or as it was asked for", async () => {
    const [en, de] = [text("<p>Terms</p>"), text("<p>Bedingungen</p>", ContentFormat.HTML, "de")];
    const { id, render } = createReader({ texts: [en, de] });
    const first = await render();
    expect(first.document).toMatchObject({
      templateId: "",
      version: 0,
      templateRef: { templateId: id, versionId: en.versionId, locale: "en" },
      fileName: "Terms.pdf",
      locale: "en",
    });
    expect(first.job).toMatchObject({ title: "Terms", content: { kind: "html", html: "<p>Terms</p>" } });
    expect((await render({ locale: "DE" })).job?.content).toEqual({ kind: "html", html: "<p>Bedingungen</p>" });
    expect((await render({ versionId: de.versionId })).document?.locale).toBe("de");
  });

  test("gets paragraphs of plain text, and of Markdown what it means", async () => {
    const plain = createReader({ texts: [text("One\n\nTwo <b>\nlines", ContentFormat.TEXT)] });
    expect((await plain.render()).job?.content).toEqual({
      kind: "html",
      html: "<p>One</p>\n<p>Two &lt;b&gt;<br>\nlines</p>\n",
    });
    const markdown = createReader({ texts: [text("# One\n\n- Two", ContentFormat.MARKDOWN)] });
    const { job } = await markdown.render();
    expect(job?.content).toMatchObject({ html: "<h1>One</h1>\n<ul>\n<li>Two</li>\n</ul>" });
  });

  test("has its fields filled in as texts, whatever they say", async () => {
    const variables = [
      { key: "deal.name", type: "STRING" },
      { key: "note", required: false },
    ];
    const { organization, render } = createReader({
      type: TemplateType.GENERATED,
      typeConfig: { variables },
      texts: [text("<p>{{deal.name}}: {{note}}{{fullName}}</p>")],
    });
    const { job } = await render({}, { "deal.name": "<b>{{ 7 }}</b>", fullName: "Ada" });
    expect(job?.content).toEqual({ kind: "html", html: "<p>&lt;b&gt;{{ 7 }}&lt;/b&gt;: Ada</p>" });
    const error = await expectDomainError(render({}, { fullName: 7 }), "GEN_INVALID_DATA");
    expect(error.metadata).toMatchObject({ path: "/deal.name", expected: "string" });
    expect(error.details.map(({ field, code }) => [field, code])).toEqual([
      ['data["deal.name"]', "required"],
      ["data.fullName", "type"],
    ]);
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 1, minute: 1 });
  });

  test("leaves merge fields alone in a text that has none", async () => {
    const { render } = createReader({ texts: [text("<p>{{name}}</p>")] });
    expect((await render({}, { name: "Ada" })).job?.content).toMatchObject({ html: "<p>{{name}}</p>" });
  });

  test("takes its large texts through a thread", async () => {
    const content = `<p>${"long ".repeat(20_000)}</p>`;
    const { render } = createReader({ texts: [text(content)] });
    expect((await render()).job?.content).toEqual({ kind: "html", html: content });
  });

  test("is refused when there is none", async () => {
    const stranger = createReader({ texts: [text("<p>Theirs</p>")] });
    const { organization, render } = createReader({ texts: [text("<p>Ours</p>")] });
    const ask = (templateId: string) => organization.createDocument({ source: { templateRef: { templateId } } });
    await expectDomainError(ask(stranger.id), "GEN_TEMPLATE_NOT_FOUND");
    await expectDomainError(ask(randomUUID()), "GEN_TEMPLATE_NOT_FOUND");
    await expectDomainError(render({ versionId: randomUUID() }), "GEN_TEMPLATE_NOT_FOUND");
    await expectDomainError(render({ locale: "fr" }), "GEN_TEMPLATE_NOT_PUBLISHED");
    await expectDomainError(createReader({ texts: [] }).render(), "GEN_TEMPLATE_NOT_PUBLISHED");
    const archived = createReader({ status: TemplateStatus.ARCHIVED, texts: [text("<p>Old</p>")] });
    await expectDomainError(archived.render(), "GEN_TEMPLATE_NOT_PUBLISHED");
    const consent = createReader({ type: TemplateType.CONSENT, texts: [text("<p>May we?</p>")] });
    expect(await problemFields(consent.render(), "GEN_INVALID_REQUEST")).toEqual(["templateRef.templateId"]);
    const both = render({ versionId: randomUUID(), locale: "en" });
    expect(await problemFields(both, "GEN_INVALID_REQUEST")).toEqual(["templateRef.locale"]);
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 0, minute: 0 });
  });
});
