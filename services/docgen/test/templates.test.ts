import { randomUUID } from "node:crypto";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Format, type Template } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createFakeChecker } from "./fake-checker.ts";
import {
  createPublished,
  createTemplate,
  type DocgenHarness,
  type Organization,
  present,
  problemFields,
  publish,
  startDocgen,
} from "./harness.ts";

let harness: DocgenHarness;
let organization: Organization;
beforeAll(async () => {
  harness = await startDocgen({ checker: createFakeChecker() });
  organization = harness.organization();
});
afterAll(() => harness.stop());

const usualPage = {
  size: "a4",
  orientation: "portrait",
  margins: { top: 25, right: 25, bottom: 25, left: 25 },
  header: "",
  footer: "{page} / {pages}",
  font: "sans",
};

const get = async (templateId: string, by = organization) => present((await by.getTemplate({ templateId })).template);

describe("createTemplate", () => {
  test("makes a draft with the usual page, a slug from its name and English", async () => {
    const template = await createTemplate(organization, { name: "Größe & Preis" });
    expect(template).toMatchObject({
      name: "Größe & Preis",
      slug: "grosse-preis",
      format: Format.HTML,
      content: "<p>Dear {{ name }}</p>",
      page: usualPage,
      locale: "en",
      sampleDataJson: "",
      publishedVersion: 0,
      hasChanges: true,
      createdBy: "cl_test",
    });
    expect(template.publishedAt).toBeUndefined();
    expect(await get(template.id)).toEqual(template);
    expect(await get(template.id.toUpperCase())).toEqual(template);
  });

  test("takes a page in part, a locale in any form and any JSON object as sample data", async () => {
    const { id } = await createTemplate(organization, {
      format: Format.MARKDOWN,
      page: { size: "a5", margins: { top: 0 }, footer: "" },
      locale: "DE-de",
      sampleDataJson: '{"b":[1,{"c":null}],"aa":"x"}',
    });
    const template = await get(id);
    expect(template).toMatchObject({
      format: Format.MARKDOWN,
      page: { ...usualPage, size: "a5", margins: { ...usualPage.margins, top: 0 }, footer: "" },
      locale: "de-DE",
    });
    expect(JSON.parse(template.sampleDataJson)).toEqual({ b: [1, { c: null }], aa: "x" });
  });

  test("gives equal names different slugs, also at the same moment", async () => {
    const created = await Promise.all(Array.from({ length: 5 }, () => createTemplate(organization, { name: "Same" })));
    const slugs = created.map((template) => template.slug).sort();
    expect(slugs).toEqual(["same", "same-2", "same-3", "same-4", "same-5"]);
  });

  test("refuses a slug that a living template has, and takes it again when that one is deleted", async () => {
    const { id } = await createTemplate(organization, { slug: "chosen" });
    await expectDomainError(createTemplate(organization, { slug: "chosen" }), "GEN_TEMPLATE_SLUG_EXISTS");
    expect(await createTemplate(harness.organization(), { slug: "chosen" })).toMatchObject({ slug: "chosen" });
    await organization.deleteTemplate({ templateId: id });
    const next = await createTemplate(organization, { slug: "chosen" });
    expect(next.id).not.toBe(id);
  });

  test.each([
    [{ name: " " }, "name"],
    [{ content: "a\u0000b" }, "content"],
    [{ slug: "Not A Slug" }, "slug"],
    [{ locale: "not_a_locale" }, "locale"],
    [{ sampleDataJson: "[]" }, "sampleData"],
    [{ sampleDataJson: "null" }, "sampleData"],
    [{ sampleDataJson: "{" }, "sampleData"],
    [{ sampleDataJson: '{"a":"\\u0000"}' }, "sampleData"],
    [{ sampleDataJson: `{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}` }, "sampleData"],
    [{ page: { size: "a3" } }, "page.size"],
    [{ page: { margins: { left: 101 } } }, "page.margins.left"],
  ])("refuses %.60j", async (request, field) => {
    expect(await problemFields(createTemplate(organization, request), "GEN_INVALID_REQUEST")).toEqual([field]);
  });

  test("refuses control characters and line breaks where a text is one line", async () => {
    for (const [request, field] of [
      [{ name: "a\u0000b" }, "name"],
      [{ page: { header: "two\nlines" } }, "page.header"],
    ] as const) {
      expect(await problemFields(createTemplate(organization, request), "VALIDATION_FAILED")).toEqual([field]);
    }
  });

  test("takes a content of 512 KB and sample data of 1 MB, and no more", async () => {
    const content = "x".repeat(512 * 1024);
    const sampleDataJson = JSON.stringify({ a: "x".repeat(1024 * 1024 - 8) });
    const { id } = await createTemplate(organization, { content, sampleDataJson });
    expect(await get(id)).toMatchObject({ content, sampleDataJson });
    const longer = [{ content: `${content}x` }, { sampleDataJson: `${sampleDataJson} ` }];
    for (const request of longer) await expectDomainError(createTemplate(organization, request), "VALIDATION_FAILED");
  });
});

describe("updateTemplate", () => {
  test("changes what is given and leaves the rest", async () => {
    const before = await createTemplate(organization, { page: { header: "Offer" }, sampleDataJson: '{"a":1}' });
    harness.clock.advance(1000);
    const changes = { name: "Other", content: "<p>Other</p>", page: { margins: { left: 30 } } };
    const { template } = await organization.updateTemplate({ templateId: before.id, ...changes });
    const after = present(template);
    expect(after).toMatchObject({
      slug: before.slug,
      name: "Other",
      content: "<p>Other</p>",
      page: { ...usualPage, header: "Offer", margins: { top: 25, right: 25, bottom: 25, left: 30 } },
      sampleDataJson: '{"a":1}',
    });
    expect(after.createdAt).toEqual(before.createdAt);
    expect(timestampDate(present(after.updatedAt)) > timestampDate(present(before.updatedAt))).toBe(true);
    expect(await get(before.id)).toEqual(after);
  });

  test("leaves the time of the last change when nothing changes", async () => {
    const before = await createTemplate(organization, { sampleDataJson: '{"bb":1,"a":2}' });
    harness.clock.advance(1000);
    const { name, content, format, locale } = before;
    const same = { templateId: before.id, name, content, format, locale, sampleDataJson: '{"bb":1,"a":2}' };
    expect((await organization.updateTemplate(same)).template?.updatedAt).toEqual(before.updatedAt);
  });

  test("removes the sample data with null", async () => {
    const { id } = await createTemplate(organization, { sampleDataJson: '{"a":1}' });
    await organization.updateTemplate({ templateId: id, sampleDataJson: "null" });
    expect(await get(id)).toMatchObject({ sampleDataJson: "" });
  });

  test("refuses a slug that another template has, and changes nothing then", async () => {
    await createTemplate(organization, { slug: "taken" });
    const before = await createTemplate(organization);
    const update = organization.updateTemplate({ templateId: before.id, slug: "taken", name: "Other" });
    await expectDomainError(update, "GEN_TEMPLATE_SLUG_EXISTS");
    expect(await get(before.id)).toEqual(before);
  });

  test("checks the page as a whole", async () => {
    const { id } = await createTemplate(organization, { page: { margins: { left: 90 } } });
    const update = organization.updateTemplate({ templateId: id, page: { margins: { right: 90 } } });
    expect(await problemFields(update, "GEN_INVALID_REQUEST")).toEqual(["page.margins"]);
  });
});

describe("listTemplates", () => {
  test("pages through all living templates, newest first, without their texts", async () => {
    const mine = harness.organization();
    const created: Template[] = [];
    for (let n = 0; n < 5; n += 1) created.push(await createTemplate(mine, { sampleDataJson: '{"a":1}' }));
    await mine.deleteTemplate({ templateId: created[1]?.id ?? "" });
    await publish(mine, created[3]?.id ?? "");
    const first = await mine.listTemplates({ pageSize: 2 });
    expect(first.hasMore).toBe(true);
    // The page goes on although the template that it ended with is gone.
    await mine.deleteTemplate({ templateId: first.templates[1]?.id ?? "" });
    const second = await mine.listTemplates({ pageSize: 2, afterId: first.templates[1]?.id ?? "" });
    expect(second.hasMore).toBe(false);
    const listed = [...first.templates, ...second.templates];
    expect(listed.map((template) => template.id)).toEqual([4, 3, 2, 0].map((n) => created[n]?.id));
    expect(listed.map((template) => template.hasChanges)).toEqual([true, false, true, true]);
    expect(listed[2]).toEqual({ ...created[2], content: "", sampleDataJson: "" });
  });

  test("refuses a place that is none", async () => {
    const listing = organization.listTemplates({ pageSize: 10, afterId: "x" });
    expect(await problemFields(listing, "GEN_INVALID_REQUEST")).toEqual(["afterId"]);
  });
});

describe("the templates of other organizations", () => {
  test("answer like unknown ones, and stay as they are", async () => {
    const theirs = await createPublished(harness.organization());
    for (const templateId of [theirs.id, randomUUID()]) {
      const calls = [
        organization.getTemplate({ templateId }),
        organization.updateTemplate({ templateId, name: "Mine" }),
        organization.publishTemplate({ templateId }),
        organization.getTemplateSchema({ templateId }),
        organization.getTemplateSchema({ templateId, version: 1 }),
        organization.deleteTemplate({ templateId }),
      ];
      for (const call of calls) await expectDomainError(call, "GEN_TEMPLATE_NOT_FOUND");
    }
    const { templates } = await organization.listTemplates({ pageSize: 200 });
    expect(templates.map((template) => template.id)).not.toContain(theirs.id);
  });
});

describe("deleteTemplate", () => {
  test("makes a template unknown and keeps what was published", async () => {
    const { id } = await createPublished(organization);
    await organization.deleteTemplate({ templateId: id });
    await expectDomainError(organization.getTemplate({ templateId: id }), "GEN_TEMPLATE_NOT_FOUND");
    await expectDomainError(organization.deleteTemplate({ templateId: id }), "GEN_TEMPLATE_NOT_FOUND");
    await expectDomainError(publish(organization, id), "GEN_TEMPLATE_NOT_FOUND");
    const sql = "select version from docgen.template_version where template_id = $1";
    expect((await harness.superuser.query(sql, [id])).rows).toEqual([{ version: 1 }]);
  });
});
