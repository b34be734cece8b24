import { Code } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ContentFormat } from "#gen/assent/templates/v1/templates_pb.ts";
import { contentToHtml } from "#platform/restricted-html/read-content.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { readStats } from "../../stats/test/stats-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { type ClickHarness, rows, startClick } from "../../test/harness.ts";
import { renderActions } from "./render-actions.ts";

let click: ClickHarness;
beforeEach(async () => {
  click = await startClick();
});
afterEach(() => click.close());

const { addTemplate, create, acceptTemplate } = clientActions(() => click);
const { renderDeployment, renderSession, renderTemplate } = renderActions(() => click);

describe("rendering while something is away", () => {
  test("without the templates service sessions are shown, everything else can be asked again", async () => {
    const template = addTemplate();
    const deployment = click.templates.deploy(template);
    const { id, renderToken } = await create(template);
    click.templates.fail(Code.Unavailable);
    expect((await renderSession(template, id, { token: renderToken })).html).toBe("<p>The terms.</p>");
    await expectDomainError(renderTemplate(template), "SERVICE_UNAVAILABLE");
    await expectDomainError(readStats(click, template), "SERVICE_UNAVAILABLE");
    click.templates.fail(undefined);
    await renderDeployment(deployment);
  });

  test("without the table of what is shown nobody gets a token, and nothing else is left behind", async () => {
    const template = addTemplate();
    const deployment = click.templates.deploy(template);
    await click.superuser.query("alter table click.shown rename to gone");
    await expect(renderDeployment(deployment)).rejects.toThrow();
    await expect(create(template)).rejects.toThrow();
    expect(await rows(click, "select from click.session")).toHaveLength(0);
    await click.superuser.query("alter table click.gone rename to shown");
    const { renderToken } = await renderDeployment(deployment);
    await acceptTemplate(template, { renderToken });
  });

  test("a large text is converted beside the event loop, which goes on turning", async () => {
    const template = addTemplate({ versions: [] });
    const content = `${"Some *words* and `code`.\n\n".repeat(8_000)}`;
    click.templates.addVersion(template, { content, format: ContentFormat.MARKDOWN });
    const before = process.threadCpuUsage();
    const { html } = await renderTemplate(template);
    const { user, system } = process.threadCpuUsage(before);
    expect(html.length).toBeGreaterThan(300_000);
    const beforeConverting = process.threadCpuUsage();
    contentToHtml("MARKDOWN", content);
    const converting = process.threadCpuUsage(beforeConverting);
    expect((user + system) / (converting.user + converting.system)).toBeLessThan(0.7);
    const { renderHash } = await renderTemplate(template);
    const kept = await rows(click, "select from click.shown where organization_id = $1", [orgOf(template)]);
    expect([kept.length, renderHash.length]).toEqual([2, 71]);
  });
});
