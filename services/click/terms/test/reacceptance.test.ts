import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newId } from "#platform/ids.ts";
import { leavesOf } from "../../log/test/signed-leaves.ts";
import { clientActions } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { type ClickHarness, rows, startClick, testIssuer } from "../../test/harness.ts";
import { publishEvent } from "../../test/publishing.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, acceptTemplate } = clientActions(() => click);

const announced = async (template: FakeTemplate) => {
  const found = await rows<{ data: string }>(
    click,
    "select data from click.outbox where organization_id = $1 and subject = 'assent.click.reacceptance.required' order by position",
    [template.organizationId],
  );
  return found.map(({ data }) => JSON.parse(data));
};

describe("a publication", () => {
  test("that asks for re-acceptance is announced once, however many accepted the text before it", async () => {
    const template = addTemplate();
    await publishEvent(click, template);
    for (const userRef of ["ann", "bob", "cleo"]) await acceptTemplate(template, { userRef });
    click.templates.revise(template, "<p>Second.</p>");
    const eventId = newId();
    await publishEvent(click, template, { eventId });
    await publishEvent(click, template, { eventId });
    // The same revision, published again.
    await publishEvent(click, template);
    const versionId = template.versions[0]?.versionId;
    expect(await announced(template)).toMatchObject([
      {
        aggregateId: template.templateId,
        requestId: "req-1",
        reacceptanceRequired: { templateId: template.templateId, versionId, locale: "en", revision: 2, label: "2.0" },
      },
    ]);
  });

  test("asks nobody while nobody has accepted anything", async () => {
    const template = addTemplate();
    await publishEvent(click, template);
    click.templates.revise(template, "<p>Second.</p>");
    await acceptTemplate(template);
    await publishEvent(click, template);
    expect(await announced(template)).toEqual([]);
  });

  test.each([
    ["ON_MAJOR", true, 1],
    ["ON_MAJOR", false, 0],
    ["ALWAYS", false, 1],
    ["NEVER", true, 0],
  ])(
    "under %s, when it asks for re-acceptance: %s, is announced %d times",
    async (rule, requiresReacceptance, times) => {
      const template = addTemplate({ policyFlags: { requireReacceptance: rule } });
      await acceptTemplate(template);
      click.templates.revise(template, "<p>Second.</p>");
      await publishEvent(click, template, { requiresReacceptance });
      expect(await announced(template)).toHaveLength(times);
    },
  );

  test("of a template that is gone asks nobody", async () => {
    const template = addTemplate();
    await acceptTemplate(template);
    click.templates.revise(template, "<p>Second.</p>");
    template.archived = true;
    await publishEvent(click, template);
    expect(await announced(template)).toEqual([]);
  });

  test("is a leaf of the log the first time that we hear of its revision", async () => {
    const template = addTemplate();
    const [first, again, second] = [newId(), newId(), newId()];
    await publishEvent(click, template, { eventId: first, requiresReacceptance: false });
    await publishEvent(click, template, { eventId: first, requiresReacceptance: false });
    await publishEvent(click, template, { eventId: again });
    await acceptTemplate(template);
    click.templates.revise(template, "<p>Second.</p>");
    await publishEvent(click, template, { eventId: second });
    const leaves = (await leavesOf(click, template.organizationId)).filter(({ kind }) => kind !== "click.acceptance");
    const [version] = template.versions;
    const about = {
      v: 1,
      kind: "click.version.published",
      iss: testIssuer,
      org: template.organizationId,
      tpl: template.templateId,
      ver: version?.versionId,
      locale: "en",
      contentHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      publishedAt: expect.stringMatching(/^2\d{3}-.*Z$/),
    };
    expect(leaves.map(({ leaf }) => JSON.parse(leaf.toString("utf8")))).toEqual([
      { ...about, eid: first, rev: 1, label: "1.0", requiresReacceptance: false },
      { ...about, eid: second, rev: 2, label: "2.0", requiresReacceptance: true },
    ]);
  });
});
