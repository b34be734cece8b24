import { createPublicKey, verify } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ContentFormat, TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { sha256Label } from "#platform/canonical-json.ts";
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
