import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Format } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createFakeChecker, type FakeChecker } from "./fake-checker.ts";
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
let checker: FakeChecker;
let organization: Organization;
beforeAll(async () => {
  checker = createFakeChecker();
  harness = await startDocgen({ checker });
  organization = harness.organization();
});
afterAll(() => harness.stop());

const update = async (templateId: string, content: string) =>
  present((await organization.updateTemplate({ templateId, content })).template);

const schemaOf = (...names: string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  required: names,
});

const versionsOf = async (templateId: string) => {
  const sql = "select version, content from docgen.template_version where template_id = $1 order by version";
  return (await harness.superuser.query<{ version: number; content: string }>(sql, [templateId])).rows;
};

describe("publishTemplate", () => {
  test("numbers versions from 1 and keeps each as it was", async () => {
    const { id } = await createTemplate(organization);
    expect(await publish(organization, id)).toMatchObject({ publishedVersion: 1, hasChanges: false });
    expect(await update(id, "<p>{{ other }}</p>")).toMatchObject({ publishedVersion: 1, hasChanges: true });
    const second = await publish(organization, id);
    expect(second).toMatchObject({ publishedVersion: 2, hasChanges: false });
    expect(second.publishedAt).toBeDefined();
    expect((await organization.getTemplate({ templateId: id })).template).toEqual(second);
    expect(await versionsOf(id)).toEqual([
      { version: 1, content: "<p>Dear {{ name }}</p>" },
      { version: 2, content: "<p>{{ other }}</p>" },
    ]);
  });

  test("answers the current version when nothing has changed since, however often it is called", async () => {
    const published = await createPublished(organization, { page: { margins: { top: 12.5 } } });
    expect(await publish(organization, published.id)).toEqual(published);
    await Promise.all(Array.from({ length: 5 }, () => publish(organization, published.id)));
    expect(await versionsOf(published.id)).toHaveLength(1);
  });

  test("sees a change back to what is published as no change", async () => {
    const published = await createPublished(organization);
    expect(await update(published.id, "<p>Other</p>")).toMatchObject({ hasChanges: true });
    expect(await update(published.id, published.content)).toMatchObject({ hasChanges: false });
    expect(await publish(organization, published.id)).toMatchObject({ publishedVersion: 1 });
  });

  test.each([{ name: "Other" }, { locale: "de" }, { format: Format.MARKDOWN }, { page: { size: "a5" } }])(
    "makes a version of a change of %j",
    async (change) => {
      const { id } = await createPublished(organization);
      await organization.updateTemplate({ templateId: id, ...change });
      expect(await publish(organization, id)).toMatchObject({ publishedVersion: 2 });
    },
  );

  test("does not make a version of a change of the slug or the sample data", async () => {
    const { id } = await createPublished(organization);
    const changes = { templateId: id, slug: "another-slug", sampleDataJson: '{"name":"Ada"}' };
    expect((await organization.updateTemplate(changes)).template).toMatchObject({ hasChanges: false });
    expect(await publish(organization, id)).toMatchObject({ publishedVersion: 1 });
  });

  test("makes one version when several publish the same change at once", async () => {
    const { id } = await createPublished(organization);
    await update(id, "<p>{{ changed }}</p>");
    const answers = await Promise.all(Array.from({ length: 5 }, () => publish(organization, id)));
    expect(answers.map((template) => template.publishedVersion)).toEqual([2, 2, 2, 2, 2]);
    expect(await versionsOf(id)).toHaveLength(2);
  });

  test("publishes nothing that was not checked: a draft that changes meanwhile is checked again", async () => {
    const { id } = await createTemplate(organization);
    checker.beforeAnswer(() => update(id, "<p>{{ second }}</p>"));
    expect(await publish(organization, id)).toMatchObject({ publishedVersion: 1, content: "<p>{{ second }}</p>" });
    const { schemaJson } = await organization.getTemplateSchema({ templateId: id });
    expect(JSON.parse(schemaJson)).toEqual(schemaOf("second"));
    expect(checker.checked.slice(-2).map((source) => source.content)).toEqual([
      "<p>Dear {{ name }}</p>",
      "<p>{{ second }}</p>",
    ]);
  });

  test("finds nothing when the template is deleted while it is being checked", async () => {
    const { id } = await createTemplate(organization);
    checker.beforeAnswer(() => organization.deleteTemplate({ templateId: id }));
    await expectDomainError(publish(organization, id), "GEN_TEMPLATE_NOT_FOUND");
    expect(await versionsOf(id)).toHaveLength(0);
  });

  test("refuses a template with findings and names the place of each", async () => {
    const { id } = await createTemplate(organization, { content: "<p>\n  {% oops %}\n{% oops %}</p>" });
    const error = await expectDomainError(publish(organization, id), "GEN_TEMPLATE_ERROR");
    expect(error.message).toBe("There is no tag oops.");
    expect(error.metadata).toEqual({ line: "2", column: "3", code: "unknown_tag" });
    expect(error.details).toEqual([
      { field: "content:2:3", code: "unknown_tag", message: "There is no tag oops." },
      { field: "content:3:1", code: "unknown_tag", message: "There is no tag oops." },
    ]);
    expect((await organization.getTemplate({ templateId: id })).template?.publishedVersion).toBe(0);
  });

  test("has room for the findings of a template that is all wrong", async () => {
    const { id } = await createTemplate(organization, { content: "{% oops %}\n".repeat(1000) });
    expect(await problemFields(publish(organization, id), "GEN_TEMPLATE_ERROR")).toHaveLength(20);
  });

  test("published versions can neither be changed nor deleted by the service", async () => {
    const { rows } = await harness.superuser.query(
      `select privilege_type from information_schema.role_table_grants
       where grantee = 'assent_docgen' and table_schema = 'docgen' and table_name = 'template_version'
       order by privilege_type`,
    );
    expect(rows.map((row: { privilege_type: string }) => row.privilege_type)).toEqual(["INSERT", "SELECT"]);
  });
});

describe("getTemplateSchema", () => {
  test("gives that of the draft until something is published, then that of the published version", async () => {
    const { id } = await createTemplate(organization);
    const ofDraft = await organization.getTemplateSchema({ templateId: id });
    expect([ofDraft.version, JSON.parse(ofDraft.schemaJson)]).toEqual([0, schemaOf("name")]);
    await publish(organization, id);
    await update(id, "<p>{{ other }}</p>");
    const ofPublished = await organization.getTemplateSchema({ templateId: id });
    expect([ofPublished.version, JSON.parse(ofPublished.schemaJson)]).toEqual([1, schemaOf("name")]);
  });

  test("gives that of any version, and knows no others", async () => {
    const { id } = await createPublished(organization);
    await update(id, "<p>{{ other }}</p>");
    await publish(organization, id);
    const first = await organization.getTemplateSchema({ templateId: id, version: 1 });
    expect([first.version, JSON.parse(first.schemaJson)]).toEqual([1, schemaOf("name")]);
    for (const version of [3, 4_294_967_295]) {
      await expectDomainError(organization.getTemplateSchema({ templateId: id, version }), "GEN_TEMPLATE_NOT_FOUND");
    }
  });

  test("answers a draft with findings by them", async () => {
    const { id } = await createTemplate(organization, { content: "{% oops %}" });
    await expectDomainError(organization.getTemplateSchema({ templateId: id }), "GEN_TEMPLATE_ERROR");
  });
});

describe("validateTemplate", () => {
  const validate = async (content: string, dataJson = "") =>
    (await organization.validateTemplate({ format: Format.HTML, content, dataJson })).findings;

  test("finds nothing wrong with a template that could be published", async () => {
    expect(await validate("<p>{{ name }}</p>")).toEqual([]);
    expect(await validate("<p>{{ name }}</p>", '{"name":"Ada"}')).toEqual([]);
  });

  test("names the place of what is wrong with the content", async () => {
    expect(await validate("{% oops %}")).toMatchObject([{ code: "unknown_tag", line: 1, column: 1, path: "" }]);
  });

  test("names the path of what is wrong with the data", async () => {
    expect(await validate("{{ name }}", "{}")).toMatchObject([{ path: "/name", expected: "string", line: 0 }]);
  });

  test("refuses data that are no JSON object, and a content that cannot be stored", async () => {
    expect(await problemFields(validate("", "[]"), "GEN_INVALID_REQUEST")).toEqual(["data"]);
    expect(await problemFields(validate("\u0000"), "GEN_INVALID_REQUEST")).toEqual(["content"]);
  });
});
