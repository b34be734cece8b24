import type { JsonObject } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { type ClickHarness, newOrg, startClick } from "../../test/harness.ts";
import { renderActions } from "./render-actions.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, get, acceptTemplate } = clientActions(() => click);
const { render, renderDeployment, renderSession } = renderActions(() => click);

describe("rendering a deployment", () => {
  test("shows what it serves, as it says", async () => {
    const template = addTemplate({ policyFlags: { minDisplaySeconds: 3, allowDirectAccept: false } });
    const deployment = click.templates.deploy(template, {
      displayMode: "FULL_PAGE",
      theme: { accent: "#123456" },
      allowedOrigins: ["https://shop.example"],
      policyOverrides: { requireScroll: true, minDisplaySeconds: 10 },
    });
    const rendering = await renderDeployment(deployment);
    expect(rendering).toMatchObject({
      deploymentKey: deployment.key,
      templateId: template.templateId,
      revision: 1,
      html: "<p>The terms.</p>",
      renderHash: sha256Label("<p>The terms.</p>"),
      displayMode: "FULL_PAGE",
      theme: { accent: "#123456" },
      allowedOrigins: ["https://shop.example"],
      policy: { requireScroll: true, minDisplaySeconds: 10 },
      alreadyAccepted: false,
      isDraft: false,
    });
    expect(rendering.sessionId).toBeUndefined();
    const { renderedAt, expiresAt } = rendering;
    const lifetime =
      renderedAt && expiresAt && timestampDate(expiresAt).getTime() - timestampDate(renderedAt).getTime();
    expect(lifetime).toBe(24 * 3_600_000);
  });

  test("shows the latest revision, or the version that it is pinned to", async () => {
    const template = addTemplate();
    const german = click.templates.addVersion(template, { locale: "de", content: "<p>Die Bedingungen.</p>" });
    const latest = click.templates.deploy(template);
    const pinned = click.templates.deploy(template, { versionId: german.versionId });
    click.templates.revise(template, "<p>New terms.</p>");
    expect(await renderDeployment(latest)).toMatchObject({ html: "<p>New terms.</p>", revision: 2 });
    expect(await renderDeployment(latest, { locale: "de-CH" })).toMatchObject({ locale: "de" });
    expect(await renderDeployment(pinned, { locale: "en" })).toMatchObject({ html: "<p>Die Bedingungen.</p>" });
    german.published = false;
    await expectDomainError(renderDeployment(pinned), "CLICK_RENDER_NOT_FOUND");
  });

  test("tries its own locales before the default of the template", async () => {
    const template = addTemplate();
    click.templates.addVersion(template, { locale: "fr", content: "<p>Les conditions.</p>" });
    const deployment = click.templates.deploy(template, { localeFallback: ["it", "fr-CA"] });
    expect(await renderDeployment(deployment, { locale: "pt-BR" })).toMatchObject({ locale: "fr" });
    expect(await renderDeployment(deployment, { locale: "en-GB" })).toMatchObject({ locale: "en" });
    expect(await renderDeployment(deployment, { locale: "no locale" })).toMatchObject({ locale: "fr" });
  });

  test("tells whether this user has accepted this revision", async () => {
    const template = addTemplate();
    const deployment = click.templates.deploy(template);
    await acceptTemplate(template);
    const isAccepted = async (userRef?: string) =>
      (await renderDeployment(deployment, userRef === undefined ? {} : { userRef })).alreadyAccepted;
    expect([await isAccepted("user-1"), await isAccepted("user-2"), await isAccepted()]).toEqual([true, false, false]);
    click.templates.revise(template, "<p>New terms.</p>");
    expect(await isAccepted("user-1")).toBe(false);
    await acceptTemplate(template);
    template.policyFlags = { reacceptIntervalDays: 30 };
    expect(await isAccepted("user-1")).toBe(true);
    click.clock.advance(31 * 86_400);
    expect(await isAccepted("user-1")).toBe(false);
  });

  test("only to the origins that it allows; who is no browser has none", async () => {
    const open = click.templates.deploy(addTemplate());
    const closed = click.templates.deploy(addTemplate(), {
      allowedOrigins: ["https://shop.example", "https://b.example"],
    });
    for (const origin of ["https://shop.example", "https://B.example", "", undefined]) {
      await renderDeployment(closed, origin === undefined ? {} : { origin });
    }
    const bad = ["https://evil.example", "http://shop.example", "https://shop.example.evil.example", "null", "*"];
    for (const origin of bad) await expectDomainError(renderDeployment(closed, { origin }), "CLICK_ORIGIN_NOT_ALLOWED");
    await renderDeployment(open, { origin: "https://evil.example" });
  });

  test("nothing to render: unknown, inactive, foreign, archived, unpublished", async () => {
    const deployment = click.templates.deploy(addTemplate());
    const subject = { case: "deploymentKey", value: deployment.key } as const;
    await expectDomainError(render(newOrg(), { subject }), "CLICK_RENDER_NOT_FOUND");
    for (const value of ["dep_0000000000000000000000", deployment.id, "", "dep_%"]) {
      const asked = render(orgOf(deployment.template), { subject: { case: "deploymentKey", value } });
      await expectDomainError(asked, "CLICK_RENDER_NOT_FOUND");
    }
    deployment.active = false;
    await expectDomainError(renderDeployment(deployment), "CLICK_RENDER_NOT_FOUND");
    const archived = click.templates.deploy(addTemplate({ archived: true }));
    await expectDomainError(renderDeployment(archived), "CLICK_RENDER_NOT_FOUND");
    const empty = click.templates.deploy(addTemplate({ versions: [] }));
    await expectDomainError(renderDeployment(empty), "CLICK_RENDER_NOT_FOUND");
  });

  test("a text that needs values is only shown in sessions", async () => {
    const generated = (variable: JsonObject) => {
      const template = addTemplate({
        type: TemplateType.GENERATED,
        versions: [],
        typeConfig: { variables: [{ key: "city", ...variable }] },
      });
      click.templates.addVersion(template, { content: "<p>In {{city}}.</p>" });
      return click.templates.deploy(template);
    };
    await expectDomainError(renderDeployment(generated({})), "CLICK_DATA_INVALID");
    expect((await renderDeployment(generated({ default: "Bonn" }))).html).toBe("<p>In Bonn.</p>");
  });
});

describe("a session of a deployment", () => {
  test("goes by the flags, the locales and the origins of the deployment as they were", async () => {
    const template = addTemplate();
    click.templates.addVersion(template, { locale: "fr" });
    const deployment = click.templates.deploy(template, {
      localeFallback: ["fr"],
      allowedOrigins: ["https://shop.example"],
      policyOverrides: { requireScroll: true, sessionTtlSeconds: 120 },
      theme: { accent: "red" },
    });
    const session = await create(template, { userRef: "user-1", locale: "it", deploymentId: deployment.id });
    expect(session).toMatchObject({ deploymentId: deployment.id, locale: "fr", policy: { requireScroll: true } });
    const { createdAt, expiresAt } = session;
    const lifetime = createdAt && expiresAt && timestampDate(expiresAt).getTime() - timestampDate(createdAt).getTime();
    expect(lifetime).toBe(120_000);
    Object.assign(deployment, { active: false, allowedOrigins: [], policyOverrides: {} });
    const token = session.renderToken;
    const wrong = renderSession(template, session.id, { token, origin: "https://evil.example" });
    await expectDomainError(wrong, "CLICK_ORIGIN_NOT_ALLOWED");
    expect((await get(template, session.id)).presentedAt).toBeUndefined();
    expect(await renderSession(template, session.id, { token, origin: "https://shop.example" })).toMatchObject({
      deploymentKey: deployment.key,
      displayMode: "MODAL",
      theme: { accent: "red" },
      policy: { requireScroll: true },
    });
  });

  test("serves the version that the deployment is pinned to, and no other", async () => {
    const template = addTemplate();
    const german = click.templates.addVersion(template, { locale: "de" });
    const deploymentId = click.templates.deploy(template, { versionId: german.versionId }).id;
    expect((await create(template, { deploymentId, locale: "en" })).locale).toBe("de");
    expect((await create(template, { deploymentId, versionId: german.versionId })).locale).toBe("de");
    const other = create(template, { deploymentId, versionId: template.versions[0]?.versionId ?? "" });
    await expectDomainError(other, "CLICK_VALIDATION_FAILED");
    german.published = false;
    await expectDomainError(create(template, { deploymentId }), "CLICK_VERSION_NOT_PUBLISHED");
  });

  test("refuses deployments that do not exist, are not active or belong to another template", async () => {
    const template = addTemplate();
    const deployment = click.templates.deploy(template);
    const sibling = click.templates.add(orgOf(template));
    await expectDomainError(create(sibling, { deploymentId: deployment.id }), "CLICK_VALIDATION_FAILED");
    for (const deploymentId of ["nonsense", deployment.key, "", template.templateId]) {
      await expectDomainError(create(template, { deploymentId }), "CLICK_DEPLOYMENT_NOT_FOUND");
    }
    await expectDomainError(create(addTemplate(), { deploymentId: deployment.id }), "CLICK_DEPLOYMENT_NOT_FOUND");
    template.archived = true;
    await expectDomainError(create(template, { deploymentId: deployment.id }), "CLICK_TEMPLATE_ARCHIVED");
    Object.assign(template, { archived: false });
    deployment.active = false;
    await expectDomainError(create(template, { deploymentId: deployment.id }), "CLICK_DEPLOYMENT_NOT_FOUND");
  });
});
