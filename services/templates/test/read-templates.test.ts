import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TemplateStatus } from "#gen/assent/templates/v1/templates_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import {
  createPublished,
  createTemplate,
  createVersion,
  getTemplate,
  present,
  problemFields,
  startTemplates,
  type TemplatesHarness,
} from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

describe("getTemplate", () => {
  test("gives the published version of each locale, and all versions when asked for", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    harness.clock.advance(1);
    const draft = await createVersion(organization, template.id, { locale: "de" });
    const read = await getTemplate(organization, template.id);
    expect(read).toMatchObject({
      status: TemplateStatus.PUBLISHED,
      currentVersions: [{ locale: "en", versionId: version.id, revision: 1, label: "1.0" }],
      versions: [],
    });
    const full = present((await organization.getTemplate({ templateId: template.id, includeVersions: true })).template);
    expect(full).toEqual({ ...read, versions: [version, draft] });
  });

  test("takes ids in upper case", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    expect(await getTemplate(organization, id.toUpperCase())).toMatchObject({ id });
  });

  test.each([randomUUID(), "", "x", "0", "\u0000", "01960000-0000-7000-8000-00000000000g"])(
    "does not find %j",
    async (templateId) => {
      await expectDomainError(getTemplate(harness.organization(), templateId), "CLICK_TEMPLATE_NOT_FOUND");
    },
  );
});

describe("listTemplates", () => {
  test("pages through all templates, newest first, those of one millisecond too", async () => {
    const organization = harness.organization();
    const created = [];
    for (let n = 0; n < 7; n += 1) {
      created.push((await createTemplate(organization, { name: `T${n}` })).id);
      if (n % 3 === 2) harness.clock.advance(1);
    }
    expect((await organization.listTemplates({})).templates.map((t) => t.id)).toEqual(created.toReversed());

    const seen: string[] = [];
    let cursor = "";
    do {
      const page = await organization.listTemplates({ limit: 2, cursor });
      expect(page.templates.length).toBeLessThanOrEqual(2);
      seen.push(...page.templates.map((template) => template.id));
      cursor = page.nextCursor;
    } while (cursor !== "");
    expect(seen).toEqual(created.toReversed());
  });

  test("has no cursor when the last page is full", async () => {
    const organization = harness.organization();
    await createTemplate(organization);
    await createTemplate(organization);
    expect(await organization.listTemplates({ limit: 2 })).toMatchObject({ nextCursor: "" });
    expect(await harness.organization().listTemplates({})).toMatchObject({ templates: [], nextCursor: "" });
  });

  test("embeds versions when asked for", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const other = await createTemplate(organization);
    const { templates } = await organization.listTemplates({ includeVersions: true });
    expect(templates.map((t) => [t.id, t.versions])).toEqual([
      [other.id, []],
      [template.id, [version]],
    ]);
    expect(templates[1]).toMatchObject({ status: TemplateStatus.PUBLISHED, currentVersions: [{ label: "1.0" }] });
  });

  test("finds what a name or slug begins with, in whatever case, and by status, page by page", async () => {
    const organization = harness.organization();
    const names = ["Terms of sale", "TERMS of use", "Privacy", "Übersicht", "Sale terms"];
    for (const name of names) {
      await createTemplate(organization, { name });
      harness.clock.advance(1);
    }
    const renamed = (await createTemplate(organization, { name: "Old", slug: "terms-2019" })).id;
    const { template } = await createPublished(organization);
    await organization.bulkArchiveTemplates({ templateIds: [renamed] });
    const find = async (wanted: { search?: string; status?: TemplateStatus; limit?: number; cursor?: string }) => {
      const answer = await organization.listTemplates(wanted);
      return { names: answer.templates.map(({ name }) => name), nextCursor: answer.nextCursor };
    };
    expect((await find({ search: "terms o" })).names).toEqual(["TERMS of use", "Terms of sale"]);
    expect((await find({ search: "TERMS-2" })).names).toEqual(["Old"]);
    expect((await find({ search: "über" })).names).toEqual(["Übersicht"]);
    for (const search of ["%", "_", "terms%", "erms", "'"]) expect((await find({ search })).names).toEqual([]);
    expect((await find({ status: TemplateStatus.ARCHIVED })).names).toEqual(["Old"]);
    expect((await find({ status: TemplateStatus.PUBLISHED })).names).toEqual([template.name]);
    expect((await find({ status: TemplateStatus.DRAFT })).names).toEqual([...names].reverse());
    expect((await find({ search: "terms", status: TemplateStatus.ARCHIVED })).names).toEqual(["Old"]);
    const first = await find({ search: "terms o", limit: 1 });
    expect(first.names).toEqual(["TERMS of use"]);
    const second = await find({ search: "terms o", limit: 1, cursor: first.nextCursor });
    expect(second).toEqual({ names: ["Terms of sale"], nextCursor: "" });
    const refused = organization.listTemplates({ search: "a\u0000" });
    expect(await problemFields(refused, "CLICK_VALIDATION_FAILED")).toEqual(["search"]);
  });

  test("ends a page early rather than outgrowing a message", async () => {
    const organization = harness.organization();
    const content = "x".repeat(1_048_576);
    for (let n = 0; n < 4; n += 1)
      await createVersion(organization, (await createTemplate(organization)).id, { content });
    const first = await organization.listTemplates({ includeVersions: true });
    expect(first.templates).toHaveLength(2);
    const second = await organization.listTemplates({ includeVersions: true, cursor: first.nextCursor });
    expect(second).toMatchObject({ nextCursor: "" });
    expect(second.templates).toHaveLength(2);
    expect((await organization.listTemplates({})).templates).toHaveLength(4);
  });

  test.each(["x", "AAAA", "%", "MTcxNzI="])("refuses the cursor %j", async (cursor) => {
    expect(await problemFields(harness.organization().listTemplates({ cursor }), "CLICK_VALIDATION_FAILED")).toEqual([
      "cursor",
    ]);
  });
});
