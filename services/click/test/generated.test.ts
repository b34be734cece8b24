import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ContentFormat, TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { renderActions } from "../render/test/render-actions.ts";
import { clientActions, countAcceptances, orgOf } from "./actions.ts";
import type { FakeTemplate } from "./fake-templates.ts";
import { acceptOne, as, type ClickHarness, rows, startClick } from "./harness.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, accept, acceptTemplate } = clientActions(() => click);
const { renderSession, renderDeployment } = renderActions(() => click);

function addGenerated(content: string, typeConfig: JsonObject = {}, format: ContentFormat = ContentFormat.HTML) {
  const template = addTemplate({ type: TemplateType.GENERATED, versions: [], typeConfig });
  click.templates.addVersion(template, { content, format });
  return template;
}

const bundleOf = async (template: FakeTemplate, sessionId: string): Promise<string> =>
  (await click.client.getEvidenceBundle({ sessionId }, as(orgOf(template)))).bundleJson;

const problems = async (promise: Promise<unknown>) =>
  (await expectDomainError(promise, "CLICK_DATA_INVALID")).details.map(({ field, code }) => `${field} ${code}`);

describe("a GENERATED template", () => {
  test("is shown with the values of the session, whatever they are made of", async () => {
    const template = addGenerated("Dear **{{fullName}}**, you pay {{price}}.", {}, ContentFormat.MARKDOWN);
    const data = { fullName: '<img src=x onerror="x()"> *me* {{price}}', price: "1 & 2" };
    const { id } = await create(template, { data });
    const { html } = await renderSession(template, id);
    expect(html).toBe(
      "<p>Dear <strong>&lt;img src=x onerror=&quot;x()&quot;&gt; *me* {{price}}</strong>, you pay 1 &amp; 2.</p>",
    );
  });

  test("refuses values that are missing or do not fit, in sessions and in acceptances alike", async () => {
    const variables = [
      { key: "age", type: "NUMBER" },
      { key: "plan", type: "ENUM", enum: ["S", "L"] },
      { key: "from", type: "DATE" },
      { key: "vip", type: "BOOLEAN", required: false },
      { key: "code", pattern: "[A-Z]{2}\\d+", maxLength: 5, required: false },
    ];
    const template = addGenerated("<p>{{age}} {{plan}} {{from}} {{vip}} {{code}} {{email}}</p>", { variables });
    const nothing = ["age", "plan", "from", "email"].map((key) => `data.${key} REQUIRED`);
    expect(await problems(create(template))).toEqual(nothing);
    expect(await problems(acceptTemplate(template))).toEqual(nothing);
    const wrong = { age: "7", plan: "M", from: "2026-02-30", vip: "yes", code: "ab1", email: 7 };
    const found = ["age TYPE", "plan ENUM", "from TYPE", "vip TYPE", "code PATTERN", "email TYPE"];
    expect(await problems(acceptTemplate(template, { data: wrong }))).toEqual(found.map((one) => `data.${one}`));
    expect(await countAcceptances(click, orgOf(template))).toBe(0);
    const data = { age: 7.5, plan: "L", from: "2026-02-28", vip: true, code: "AB12", email: "a@b.example" };
    const { id } = await create(template, { data });
    expect((await renderSession(template, id)).html).toBe("<p>7.5 L 2026-02-28 true AB12 a@b.example</p>");
  });

  test("fills in defaults, and nothing for what may be missing", async () => {
    const variables = [{ key: "a", default: "A" }, { key: "b", required: false }, { key: "c" }];
    const lenient = addGenerated("<p>[{{a}}{{b}}{{c}}{{company}}]</p>", { variables, missing: "EMPTY" });
    expect((await renderSession(lenient, (await create(lenient)).id)).html).toBe("<p>[A]</p>");
    const { receipt } = await acceptTemplate(lenient, { data: { c: "C", b: null } });
    expect(JSON.parse(await bundleOf(lenient, receipt.sessionId)).agreement).toMatchObject({
      rendered: "<p>[AC]</p>",
      data: { a: "A", c: "C" },
    });
  });

  test("a token of another merged text is refused", async () => {
    const template = addGenerated("<p>{{city}}</p>", { variables: [{ key: "city", default: "Bonn" }] });
    const { renderToken } = await renderDeployment(click.templates.deploy(template));
    const other = acceptTemplate(template, { renderToken, data: { city: "Köln" } });
    expect((await expectDomainError(other, "CLICK_RENDER_TOKEN_INVALID")).details[0]?.code).toBe("OTHER_TEXT");
    await acceptTemplate(template, { renderToken });
    await acceptTemplate(template, { renderToken, data: { city: "Bonn" } });
  });

  test("values cannot make the text longer than can be shown", async () => {
    const template = addGenerated(`<p>${"{{x}} ".repeat(3_000)}</p>`);
    expect(await problems(acceptTemplate(template, { data: { x: "y".repeat(1_000) } }))).toEqual(["data TOO_LARGE"]);
    await acceptTemplate(template, { data: { x: "y" } });
  });

  test("a decline needs no values, and bad fields are told before bad values", async () => {
    const template = addGenerated("<p>{{city}}</p>");
    template.policyFlags = { allowDecline: true };
    expect((await acceptTemplate(template, { decision: "DECLINE" })).receipt.renderHash).toBeNull();
    await expectDomainError(
      acceptTemplate(template, { acceptedAt: "2099-01-01T00:00:00Z" }),
      "CLICK_VALIDATION_FAILED",
    );
  });

  test("each merged text belongs to one record, and a retry stores none", async () => {
    const template = addGenerated("<p>{{city}}</p>");
    const orgId = orgOf(template);
    const data = { city: "Bonn" };
    const direct = await Promise.all([1, 2, 3].map(() => acceptTemplate(template, { data })));
    const { id } = await create(template, { userRef: "user-1", data });
    await accept(template, { sessionId: id });
    const body = { templateId: template.templateId, userRef: "user-1", data };
    const first = await acceptOne(click.client, { orgId, key: "again", body });
    expect((await acceptOne(click.client, { orgId, key: "again", body })).receipt).toEqual(first.receipt);
    const records = [...direct.map(({ receipt }) => receipt.receiptId), id, first.receipt.receiptId];
    const kept = await rows<{ id: string }>(
      click,
      "select record_id as id from click.sealed_rendering where organization_id = $1 order by record_id",
      [orgId],
    );
    expect(kept).toEqual(records.sort().map((record) => ({ id: record })));
    const shown = await rows<{ content: Buffer }>(click, "select content from click.shown where organization_id = $1", [
      orgId,
    ]);
    expect(shown.map(({ content }) => content.toString()).join()).not.toContain("Bonn");
    for (const record of records) {
      expect(JSON.parse(await bundleOf(template, record)).agreement.rendered).toBe("<p>Bonn</p>");
    }
  });

  test("values of other types of templates are nobody's business and not stored", async () => {
    const template = addTemplate();
    const session = await create(template, { data: { secret: "x" } });
    expect(session.data).toBeUndefined();
    const { receipt } = await acceptTemplate(template, { data: { secret: "x" } });
    expect(await bundleOf(template, receipt.sessionId)).not.toContain("secret");
  });
});
