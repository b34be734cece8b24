import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sha256Label } from "#platform/canonical-json.ts";
import { newId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { clientActions, countAcceptances, orgOf } from "../../test/actions.ts";
import { forgeries, parts } from "../../test/forged-tokens.ts";
import { type ClickHarness, newOrg, rows, startClick } from "../../test/harness.ts";
import { renderActions } from "./render-actions.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, accept, acceptTemplate } = clientActions(() => click);
const { renderDeployment, renderSession } = renderActions(() => click);

const publicKey = async (): Promise<string> => {
  const [key] = await rows<{ public_key: Buffer }>(
    click,
    "select public_key from click.signing_key where purpose = 'render'",
  );
  return key?.public_key.toString("base64url") ?? "";
};

describe("a render token", () => {
  test("says what was shown, where, to whom and until when", async () => {
    const template = addTemplate();
    const deployment = click.templates.deploy(template);
    const rendering = await renderDeployment(deployment, { userRef: "user-1" });
    const { header, payload } = parts(rendering.renderToken);
    expect(header).toEqual({ alg: "EdDSA", typ: "click-render+jws", kid: expect.stringMatching(/^[\w-]{43}$/) });
    const seconds = (time?: { seconds: bigint; nanos: number }) => Number(time?.seconds) + (time?.nanos ?? 0) / 1e9;
    expect(payload).toEqual({
      rnd: rendering.renderId,
      org: template.organizationId,
      cid: "cl_test",
      dep: deployment.id,
      dsh: expect.stringMatching(/^sha256:/),
      tpl: template.templateId,
      ver: rendering.versionId,
      rev: 1,
      locale: "en",
      ch: rendering.contentHash,
      rh: rendering.renderHash,
      wh: expect.stringMatching(/^sha256:/),
      usr: expect.stringMatching(/^[\w-]{22}$/),
      iat: seconds(rendering.renderedAt),
      exp: seconds(rendering.expiresAt),
    });
    expect(JSON.stringify(payload)).not.toContain("user-1");
    const session = await create(template);
    const own = parts(session.renderToken).payload;
    expect(own).toMatchObject({
      rnd: session.id,
      sid: session.id,
      rh: session.renderHash,
      exp: seconds(session.expiresAt),
    });
    expect([own.dep, own.dsh, own.usr]).toEqual([undefined, undefined, undefined]);
  });

  test("cannot be forged", async () => {
    const template = addTemplate({ policyFlags: { requireRenderToken: true } });
    const session = await create(template);
    const direct = await renderDeployment(click.templates.deploy(template));
    const key = await publicKey();
    for (const [how, token] of Object.entries(forgeries(session.renderToken, key))) {
      const error = await expectDomainError(
        accept(template, { sessionId: session.id, renderToken: token }),
        "CLICK_RENDER_TOKEN_INVALID",
      );
      expect([how, error.details[0]?.code]).toEqual([how, "NOT_OURS"]);
      await expectDomainError(click.client.authenticateRenderToken({ token }), "INVALID_TOKEN");
    }
    for (const token of Object.values(forgeries(direct.renderToken, key))) {
      await expectDomainError(acceptTemplate(template, { renderToken: token }), "CLICK_RENDER_TOKEN_INVALID");
    }
    expect(await countAcceptances(click, orgOf(template))).toBe(0);
    await accept(template, { sessionId: session.id, renderToken: session.renderToken });
    await acceptTemplate(template, { renderToken: direct.renderToken });
  });

  test("tells the gateway whom the browser renders for, and only the token of a session does", async () => {
    const template = addTemplate();
    const session = await create(template, { ttlSeconds: 60 });
    expect(await click.client.authenticateRenderToken({ token: session.renderToken })).toMatchObject({
      organizationId: template.organizationId,
      clientId: "cl_test",
      sessionId: session.id,
    });
    const { renderToken } = await renderDeployment(click.templates.deploy(template));
    await expectDomainError(click.client.authenticateRenderToken({ token: renderToken }), "INVALID_TOKEN");
    click.clock.advance(60);
    const expired = click.client.authenticateRenderToken({ token: session.renderToken });
    await expectDomainError(expired, "TOKEN_EXPIRED");
  });
});

describe("the token of a session that lives long", () => {
  test("is the same and good until its end, also when the keys have changed in between", async () => {
    const own = await startClick();
    const actions = clientActions(() => own);
    const template = own.templates.add(newOrg());
    for (let day = 0; day < 29; day += 1) {
      await actions.create(template);
      own.clock.advance(86_400);
    }
    const session = await actions.create(template, { userRef: "user-1", ttlSeconds: 20 * 86_400 });
    for (let day = 0; day < 19; day += 1) {
      own.clock.advance(86_400);
      await actions.create(template);
    }
    const { renderToken } = await actions.get(template, session.id);
    expect(renderToken).toBe(session.renderToken);
    const fresh = (await actions.create(template)).renderToken;
    expect(parts(fresh).header.kid).not.toBe(parts(renderToken).header.kid);
    await actions.accept(template, { sessionId: session.id, renderToken });
    await own.close();
  });
});

describe("accepting with a render token", () => {
  const refused = async (promise: Promise<unknown>): Promise<string | undefined> =>
    (await expectDomainError(promise, "CLICK_RENDER_TOKEN_INVALID")).details[0]?.code;

  test("is required when the policy says so", async () => {
    const template = addTemplate({ policyFlags: { requireRenderToken: true } });
    expect(await refused(acceptTemplate(template))).toBe("REQUIRED");
    const { id, renderToken } = await create(template);
    expect(await refused(accept(template, { sessionId: id }))).toBe("REQUIRED");
    await accept(template, { sessionId: id, renderToken });
  });

  test("must be right even when it is not required", async () => {
    expect(await refused(acceptTemplate(addTemplate(), { renderToken: "a.b.c" }))).toBe("NOT_OURS");
    const decline = { renderToken: "a.b.c", decision: "DECLINE" };
    expect(await refused(acceptTemplate(addTemplate({ policyFlags: { allowDecline: true } }), decline))).toBe(
      "NOT_OURS",
    );
  });

  test("of another organization is as good as a forged one", async () => {
    const [mine, theirs] = [addTemplate(), addTemplate()];
    const { renderToken } = await renderDeployment(click.templates.deploy(theirs));
    expect(await refused(acceptTemplate(mine, { renderToken }))).toBe("NOT_OURS");
    const session = await create(theirs);
    const { id } = await create(mine);
    expect(await refused(accept(mine, { sessionId: id, renderToken: session.renderToken }))).toBe("NOT_OURS");
  });

  test("expires with its rendering", async () => {
    const template = addTemplate();
    const { renderToken } = await renderDeployment(click.templates.deploy(template));
    click.clock.advance(24 * 3600 - 60);
    await acceptTemplate(template, { renderToken });
    click.clock.advance(60);
    expect(await refused(acceptTemplate(template, { renderToken }))).toBe("EXPIRED");
  });

  test("of another text, revision or version", async () => {
    const template = addTemplate();
    const german = click.templates.addVersion(template, { locale: "de" });
    const deployment = click.templates.deploy(template);
    const sibling = click.templates.deploy(click.templates.add(orgOf(template)));
    const { renderToken } = await renderDeployment(deployment);
    expect(await refused(acceptTemplate(template, { renderToken, locale: "de" }))).toBe("OTHER_TEXT");
    expect(await refused(acceptTemplate(template, { renderToken, versionId: german.versionId }))).toBe("OTHER_TEXT");
    const other = (await renderDeployment(sibling)).renderToken;
    expect(await refused(acceptTemplate(template, { renderToken: other }))).toBe("OTHER_TEXT");
    click.templates.revise(template, "<p>New terms.</p>");
    expect(await refused(acceptTemplate(template, { renderToken }))).toBe("OTHER_TEXT");
    await acceptTemplate(template, { renderToken: (await renderDeployment(deployment)).renderToken });
  });

  test("of another session, or of none", async () => {
    const template = addTemplate();
    const [one, two] = [await create(template), await create(template)];
    const { renderToken } = await renderDeployment(click.templates.deploy(template));
    expect(await refused(accept(template, { sessionId: one.id, renderToken: two.renderToken }))).toBe("OTHER_SESSION");
    expect(await refused(accept(template, { sessionId: one.id, renderToken }))).toBe("OTHER_SESSION");
    expect(await refused(acceptTemplate(template, { renderToken: one.renderToken }))).toBe("OTHER_SESSION");
  });

  test("for another user, when it was made for one", async () => {
    const template = addTemplate();
    const deployment = click.templates.deploy(template);
    const { renderToken } = await renderDeployment(deployment, { userRef: "user-1" });
    expect(await refused(acceptTemplate(template, { renderToken, userRef: "user-2" }))).toBe("OTHER_USER");
    await acceptTemplate(template, { renderToken });
    const open = (await renderDeployment(deployment)).renderToken;
    await acceptTemplate(template, { renderToken: open, userRef: "user-2" });
  });

  test("means the text that it shows, wherever the locale of the request leads", async () => {
    const template = addTemplate();
    click.templates.addVersion(template, { locale: "fr", content: "<p>Conditions.</p>" });
    const deployment = click.templates.deploy(template, { localeFallback: ["fr"] });
    const { renderToken } = await renderDeployment(deployment, { locale: "it" });
    expect((await acceptTemplate(template, { renderToken })).receipt.locale).toBe("fr");
    expect((await acceptTemplate(template, { renderToken, locale: "it" })).receipt.locale).toBe("fr");
    expect((await acceptTemplate(template, { renderToken, locale: "fr-CA" })).receipt.locale).toBe("fr");
  });

  test("goes by the flags of the deployment that showed the text", async () => {
    const template = addTemplate();
    const deployment = click.templates.deploy(template, { policyOverrides: { requireScroll: true } });
    const { renderToken } = await renderDeployment(deployment);
    await expectDomainError(acceptTemplate(template, { renderToken }), "CLICK_POLICY_NOT_SATISFIED");
    await acceptTemplate(template, { renderToken, presentation: { scrolledToEnd: true } });
    await acceptTemplate(template);
  });

  test("minDisplaySeconds counts from the rendering by our clock", async () => {
    const template = addTemplate({ policyFlags: { minDisplaySeconds: 10, requireRenderToken: true } });
    const { renderToken } = await renderDeployment(click.templates.deploy(template));
    const body = { renderToken, presentation: { displayedMs: 60_000 }, acceptedAt: new Date().toISOString() };
    const error = await expectDomainError(acceptTemplate(template, body), "CLICK_POLICY_NOT_SATISFIED");
    expect(error.details.map(({ field }) => field)).toEqual(["minDisplaySeconds"]);
    click.clock.advance(10);
    await acceptTemplate(template, body);
  });

  test("minDisplaySeconds of a session counts from its first presentation", async () => {
    const template = addTemplate({ policyFlags: { minDisplaySeconds: 10 } });
    const { id, renderToken } = await create(template);
    click.clock.advance(30);
    await renderSession(template, id, { token: renderToken });
    click.clock.advance(6);
    await renderSession(template, id, { token: renderToken });
    await expectDomainError(accept(template, { sessionId: id, renderToken }), "CLICK_POLICY_NOT_SATISFIED");
    click.clock.advance(4);
    await accept(template, { sessionId: id, renderToken });
  });

  test("the checks come in their order: fields, existence, state, then the token", async () => {
    const template = addTemplate({ policyFlags: { requireRenderToken: true, requireScroll: true } });
    const renderToken = "a.b.c";
    await expectDomainError(acceptTemplate(template, { renderToken, templateId: newId() }), "CLICK_TEMPLATE_NOT_FOUND");
    const late = { renderToken, acceptedAt: "2099-01-01T00:00:00Z" };
    await expectDomainError(acceptTemplate(template, late), "CLICK_VALIDATION_FAILED");
    const contentHash = sha256Label("another text");
    await expectDomainError(acceptTemplate(template, { renderToken, contentHash }), "CLICK_VERSION_SUPERSEDED");
    expect(await refused(acceptTemplate(template, { renderToken }))).toBe("NOT_OURS");
    const other = { ...template, organizationId: newOrg() };
    await expectDomainError(acceptTemplate(other, { renderToken }), "CLICK_TEMPLATE_NOT_FOUND");
  });
});
