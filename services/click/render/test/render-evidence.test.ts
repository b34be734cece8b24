import { createPublicKey, verify } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ContentFormat, TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { snapshotJson } from "../../test/fake-deployments.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { parts } from "../../test/forged-tokens.ts";
import { as, type ClickHarness, startClick } from "../../test/harness.ts";
import { renderActions } from "./render-actions.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, accept, acceptTemplate, complete } = clientActions(() => click);
const { renderDeployment, renderSession } = renderActions(() => click);

async function bundleOf(template: FakeTemplate, sessionId: string) {
  const { bundleJson } = await click.client.getEvidenceBundle({ sessionId }, as(orgOf(template)));
  return JSON.parse(bundleJson);
}

const isoOf = (claim: unknown): string => new Date(Math.round((claim as number) * 1000)).toISOString();

describe("evidence of a rendering", () => {
  test("of a deployment: what was shown, when, under which configuration, and the token that proves it", async () => {
    const template = addTemplate({ versions: [] });
    const content = "# Terms\n\nBe *kind*.";
    click.templates.addVersion(template, { content, format: ContentFormat.MARKDOWN, title: "Our terms" });
    const deployment = click.templates.deploy(template, { allowedOrigins: ["https://shop.example"] });
    const snapshot = snapshotJson(deployment);
    const rendering = await renderDeployment(deployment);
    Object.assign(deployment, { active: false, allowedOrigins: [] });
    const { receipt } = await acceptTemplate(template, { renderToken: rendering.renderToken });
    expect(receipt).toMatchObject({ renderHash: rendering.renderHash, deploymentId: deployment.id });
    expect(rendering.renderHash).not.toBe(rendering.contentHash);
    const bundle = await bundleOf(template, receipt.sessionId);
    const renderedAt = isoOf(parts(rendering.renderToken).payload.iat);
    expect(bundle.agreement).toMatchObject({
      content,
      contentHash: sha256Label(content),
      rendered: rendering.html,
      renderHash: rendering.renderHash,
      data: null,
    });
    expect(sha256Label(bundle.agreement.rendered)).toBe(receipt.renderHash);
    expect(bundle.presentation).toMatchObject({
      deployment: JSON.parse(snapshot),
      deploymentHash: sha256Label(snapshot),
      renderedAt,
      rendering: {
        renderId: rendering.renderId,
        renderedAt,
        renderHash: rendering.renderHash,
        words: {
          title: "Our terms",
          buttonText: "I agree",
          noticeText: 'By clicking "I agree" I agree to the Our terms.',
        },
        renderToken: rendering.renderToken,
      },
    });
    const { renderToken, renderTokenKey } = bundle.presentation.rendering;
    const [header, payload, signature] = renderToken.split(".");
    const key = createPublicKey({ key: renderTokenKey, format: "jwk" });
    expect(verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, "base64url"))).toBe(true);
    expect(bundle.session).toMatchObject({ deploymentId: deployment.id, renderHash: rendering.renderHash });
    expect(bundle.session).not.toHaveProperty("claims");
  });

  test("of a session: by its first presentation, with or without a token in the acceptance", async () => {
    const template = addTemplate();
    const deployment = click.templates.deploy(template);
    const snapshot = JSON.parse(snapshotJson(deployment));
    const session = await create(template, { userRef: "user-1", deploymentId: deployment.id });
    const rendering = await renderSession(template, session.id, { token: session.renderToken });
    const renderedAt = isoOf(parts(rendering.renderToken).payload.iat);
    const before = await bundleOf(template, session.id);
    expect(before.presentation).toMatchObject({ deployment: snapshot, renderedAt, rendering: { renderId: null } });
    const { receipt } = await accept(template, { sessionId: session.id, renderToken: rendering.renderToken });
    expect(receipt).toMatchObject({ renderHash: session.renderHash, deploymentId: deployment.id });
    const { presentation } = await bundleOf(template, session.id);
    expect(presentation).toMatchObject({
      deployment: snapshot,
      renderedAt,
      rendering: { renderId: rendering.renderId },
    });

    const other = await create(template);
    await renderSession(template, other.id, { token: other.renderToken });
    const untold = (await accept(template, { sessionId: other.id })).receipt;
    expect(untold).toMatchObject({ renderHash: other.renderHash, deploymentId: null });
  });

  test("the picture that the deployment names is kept with what is shown, and stays when it is deleted there", async () => {
    const template = addTemplate();
    const screenshot = Buffer.from("\u0089PNG, of which the service of templates has made sure", "latin1");
    const deployment = click.templates.deploy(template, { screenshot });
    const [rendering, session] = [
      await renderDeployment(deployment),
      await create(template, { userRef: "user-1", deploymentId: deployment.id }),
    ];
    deployment.screenshot = null;
    const { receipt } = await acceptTemplate(template, { renderToken: rendering.renderToken });
    await renderSession(template, session.id, { token: session.renderToken });
    await accept(template, { sessionId: session.id });
    for (const sessionId of [receipt.sessionId, session.id]) {
      const { presentation } = await bundleOf(template, sessionId);
      expect(presentation).toMatchObject({
        deployment: { screenshotHash: sha256Label(screenshot) },
        deploymentScreenshot: {
          hash: sha256Label(screenshot),
          contentType: "image/png",
          content: screenshot.toString("base64"),
        },
      });
    }
    const later = await renderDeployment(deployment);
    const plain = (await acceptTemplate(template, { renderToken: later.renderToken })).receipt;
    expect((await bundleOf(template, plain.sessionId)).presentation).not.toHaveProperty("deploymentScreenshot");
  });

  test("a picture that is gone before anybody was shown anything is named and missing", async () => {
    const template = addTemplate();
    const deployment = click.templates.deploy(template, { screenshot: Buffer.from("gone") });
    deployment.screenshotIsGone = true;
    const rendering = await renderDeployment(deployment);
    const { receipt } = await acceptTemplate(template, { renderToken: rendering.renderToken });
    const { presentation } = await bundleOf(template, receipt.sessionId);
    expect(presentation.deployment).toMatchObject({ screenshotHash: sha256Label("gone") });
    expect(presentation).not.toHaveProperty("deploymentScreenshot");
  });

  test("nothing is claimed of what we did not show", async () => {
    const template = addTemplate();
    const session = await create(template);
    const { receipt } = await accept(template, { sessionId: session.id, renderToken: session.renderToken });
    expect(receipt.renderHash).toBeNull();
    const { presentation, agreement } = await bundleOf(template, session.id);
    expect(presentation).toMatchObject({ deployment: null, renderedAt: null, rendering: null });
    expect(agreement).toMatchObject({ rendered: null, renderHash: null });
    const direct = (await acceptTemplate(template)).receipt;
    expect((await bundleOf(template, direct.sessionId)).presentation).toMatchObject({ rendering: null });
  });

  test("the merged text and its values, of a session and of an acceptance without one", async () => {
    const template = addTemplate({
      type: TemplateType.GENERATED,
      versions: [],
      typeConfig: { variables: [{ key: "city" }] },
    });
    click.templates.addVersion(template, { content: "<p>{{fullName}} of {{city}}</p>" });
    const data = { fullName: "Ann <b>", city: "Bonn" };
    const rendered = "<p>Ann &lt;b&gt; of Bonn</p>";
    const session = await create(template, { userRef: "user-1", data: { ...data, unasked: "x" } });
    expect(session).toMatchObject({ data, renderHash: sha256Label(rendered) });
    const { session: completed } = await complete(template, session.id, { acceptance: {} });
    expect(completed.data).toEqual(data);
    const bundle = await bundleOf(template, session.id);
    expect(bundle.agreement).toMatchObject({ rendered, renderHash: sha256Label(rendered), data });
    expect(bundle.receipts[0].renderHash).toBe(sha256Label(rendered));

    const { receipt } = await acceptTemplate(template, { data: { ...data, city: "Köln" } });
    const merged = "<p>Ann &lt;b&gt; of Köln</p>";
    expect(receipt.renderHash).toBe(sha256Label(merged));
    const direct = await bundleOf(template, receipt.sessionId);
    expect(direct.agreement).toMatchObject({ rendered: merged, data: { ...data, city: "Köln" } });
    expect(direct.session).toMatchObject({ data: { ...data, city: "Köln" }, renderHash: sha256Label(merged) });
  });

  test("whom the user contracts with, as the session was told", async () => {
    const template = addTemplate();
    const session = await create(template, { counterpartyName: "Example Sub Ltd" });
    const { agreement } = await bundleOf(template, session.id);
    expect(agreement.template.counterparty).toMatchObject({ legalName: "Example Sub Ltd" });
  });
});

describe("what has changed since a person accepted", () => {
  const former = "<p>Runs for one year.</p><p>Be kind.</p>";
  const current = "<p>Runs for two years.</p><p>Be kind.</p>";
  const revised = (template: FakeTemplate, content = current, changeSummary?: string) => {
    if (changeSummary !== undefined) Object.assign(template.versions[0] ?? {}, { changeSummary });
    click.templates.revise(template, content);
  };
  const accepted = async (changes: Partial<FakeTemplate> = {}) => {
    const template = addTemplate({ versions: [], policyFlags: { showChanges: true }, ...changes });
    click.templates.addVersion(template, { content: former });
    await acceptTemplate(template);
    return template;
  };
  const changesOf = async (template: FakeTemplate, options?: Parameters<typeof create>[1]) => {
    const session = await create(template, options);
    return (await renderSession(template, session.id, { token: session.renderToken })).changes;
  };

  test("is shown in the session, word by word, with the words of the author, and is evidence", async () => {
    const template = await accepted();
    revised(template, current, "Longer, & <b>better</b>.");
    const session = await create(template);
    const rendering = await renderSession(template, session.id, { token: session.renderToken });
    const html = String(rendering.changes?.html);
    expect(rendering.changes).toEqual({
      from: { versionId: session.versionId, revision: 1, label: "1.0", contentHash: sha256Label(former) },
      changeSummary: "Longer, & <b>better</b>.",
      html,
      hash: sha256Label(html),
    });
    expect(html.split("\n")).toEqual([
      '<p class="assent-title"><strong>What has changed</strong></p>',
      '<p class="assent-since">Compared with version 1.0, which you accepted before.</p>',
      '<p class="assent-summary">Longer, &amp; &lt;b&gt;better&lt;/b&gt;.</p>',
      '<p class="assent-changed assent-as-p">Runs for <del><span class="assent-unseen"> deleted: </span>one year<span class="assent-unseen"> (end of change) </span></del><ins><span class="assent-unseen"> inserted: </span>two years<span class="assent-unseen"> (end of change) </span></ins>.</p>',
      '<p class="assent-same assent-as-p">Be kind.</p>',
    ]);
    const { renderToken } = rendering;
    const { receipt } = await accept(template, { sessionId: session.id, renderToken });
    const bundle = await bundleOf(template, receipt.sessionId);
    expect(bundle.presentation.changes).toEqual({ from: former, to: null, shown: html });
    expect(bundle.presentation.rendering.words.changes).toEqual({
      from: {
        ...{ versionId: session.versionId, revision: 1, label: "1.0" },
        ...{ contentHash: sha256Label(former), htmlHash: sha256Label(former) },
      },
      to: { htmlHash: sha256Label(current) },
      changeSummary: "Longer, & <b>better</b>.",
      shownHash: sha256Label(html),
    });
    expect(parts(renderToken).payload.wh).toBe(sha256Label(canonicalJson(bundle.presentation.rendering.words)));
    expect(bundle.agreement.version.texts).toMatchObject({ changeSummary: "Longer, & <b>better</b>." });
  });

  test("stays what the session pinned, whatever is accepted or published meanwhile", async () => {
    const template = await accepted();
    revised(template);
    const session = await create(template);
    const before = (await renderSession(template, session.id)).changes;
    revised(template, "<p>Something else.</p>");
    await acceptTemplate(template);
    expect((await renderSession(template, session.id)).changes).toEqual(before);
    expect(String((await changesOf(template))?.html ?? "")).toBe("");
  });

  test("compares what was accepted last, across the revisions between", async () => {
    const template = await accepted();
    revised(template, "<p>Never accepted.</p>");
    revised(template);
    expect(await changesOf(template)).toMatchObject({
      from: { revision: 1 },
      html: expect.stringContaining("two years"),
    });
    await acceptTemplate(template);
    revised(template, former);
    expect(await changesOf(template)).toMatchObject({ from: { revision: 3 } });
  });

  test("of a text with values is compared with its fields, and reveals no values", async () => {
    const template = addTemplate({
      ...{ type: TemplateType.GENERATED, versions: [], policyFlags: { showChanges: true } },
      typeConfig: { variables: [{ key: "city" }] },
    });
    click.templates.addVersion(template, { content: "<p>{{fullName}} of {{city}}</p>" });
    await acceptTemplate(template, { data: { fullName: "Ann", city: "Bonn" } });
    revised(template, "<p>{{fullName}} of {{city}} for a year</p>");
    const changes = await changesOf(template, { userRef: "user-1", data: { fullName: "Ann", city: "Köln" } });
    expect(changes?.html).toContain("{{fullName}} of {{city}}<ins>");
    expect(JSON.stringify(changes)).not.toMatch(/Ann|Bonn|Köln/);
  });

  test("is said to be too much when the text was written anew", async () => {
    const template = await accepted();
    revised(template, `<p>${"All of it is new today. ".repeat(15_000)}</p>`);
    const { html } = (await changesOf(template)) ?? {};
    expect(String(html)).toContain("The text was largely rewritten. Please read all of it.");
    expect(String(html).length).toBeLessThan(1_000);
  });

  test("is told in the language of the text", async () => {
    const template = addTemplate({ versions: [], policyFlags: { showChanges: true }, defaultLocale: "de" });
    click.templates.addVersion(template, { content: former, locale: "de" });
    await acceptTemplate(template);
    revised(template);
    expect((await changesOf(template))?.html).toContain("Verglichen mit Version 1.0, der Sie früher zugestimmt haben.");
  });

  const user1 = { userRef: "user-1" };
  test.each<[string, (template: FakeTemplate) => Promise<unknown>, Parameters<typeof create>[1]]>([
    ["the flag is off", async (template) => Object.assign(template.policyFlags, { showChanges: false }), user1],
    ["the session is for nobody in particular", async () => undefined, {}],
    ["the session is for somebody else", async () => undefined, { userRef: "user-2" }],
    ["the same text is asked for again", (template) => acceptTemplate(template), user1],
    ["the person declined the earlier text only", async () => undefined, { userRef: "user-3" }],
  ])("is not told when %s", async (_, prepare, options) => {
    const template = await accepted({ policyFlags: { showChanges: true, allowDecline: true } });
    await acceptTemplate(template, { userRef: "user-3", decision: "DECLINE" });
    revised(template);
    await prepare(template);
    expect(await changesOf(template, options)).toBeUndefined();
  });

  test("is not told of a text in another language, nor of another organization's acceptance", async () => {
    const template = await accepted();
    click.templates.addVersion(template, { content: "<p>Läuft zwei Jahre.</p>", locale: "de" });
    expect(await changesOf(template, { userRef: "user-1", locale: "de" })).toBeUndefined();
    const other = addTemplate({ policyFlags: { showChanges: true } });
    revised(other);
    expect(await changesOf(other)).toBeUndefined();
  });

  test("is told in sessions alone: who only knows a deployment's key and a name learns nothing", async () => {
    const template = await accepted();
    revised(template);
    const rendering = await renderDeployment(click.templates.deploy(template), { userRef: "user-1" });
    expect(rendering.changes).toBeUndefined();
  });

  test("says nothing of somebody who was erased since", async () => {
    const template = await accepted();
    revised(template);
    await click.client.eraseUser({ userRef: "user-1" }, as(orgOf(template)));
    expect(await changesOf(template)).toBeUndefined();
  });
});
